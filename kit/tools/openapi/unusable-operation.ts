/** An operation of a description that cannot become a tool; the message completes "it is left out: ". */
export class UnusableOperation extends Error {}

/** An argument that cannot be sent; the message is for the model. */
export class UnusableArgument extends Error {}
