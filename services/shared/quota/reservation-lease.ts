/** How long a reservation of a lost process counts. */
export const RESERVATION_LEASE_MS = 30_000;
