import { expect, it } from "vitest";
import { porterStem } from "./porter-stem.ts";

/** Words and the stems that NLTK 3.10 gives them. */
const STEMS = `
caresses:caress ponies:poni ties:tie lies:lie cats:cat caress:caress gas:ga feed:feed agreed:agre
plastered:plaster bled:bled motoring:motor sing:sing conflated:conflat troubled:troubl sized:size hopping:hop
tanned:tan falling:fall hissing:hiss fizzed:fizz failing:fail filing:file happy:happi sky:sky enjoy:enjoy
spy:spi by:by say:say died:die tied:tie spied:spi dried:dri relational:relat conditional:condit
rational:ration valenci:valenc hesitanci:hesit digitizer:digit conformabli:conform radicalli:radic
differentli:differ vileli:vile analogousli:analog vietnamization:vietnam predication:predic operator:oper
feudalism:feudal decisiveness:decis hopefulness:hope callousness:callous formaliti:formal sensitiviti:sensit
sensibiliti:sensibl hopefulli:hope archaeologi:archaeolog geologi:geolog logi:logi theologi:theolog
usually:usual totally:total finally:final really:realli allialli:allial ally:alli triplicate:triplic
formative:form formalize:formal electriciti:electr electrical:electr hopeful:hope goodness:good native:nativ
icate:icat ness:ness ful:ful revival:reviv allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop
adjustable:adjust defensible:defens irritant:irrit replacement:replac adjustment:adjust dependent:depend
adoption:adopt homologou:homolog communism:commun activate:activ angulariti:angular homologous:homolog
effective:effect bowdlerize:bowdler ion:ion onion:onion million:million vision:vision nation:nation
action:action opinion:opinion probate:probat rate:rate cease:ceas controll:control roll:roll ee:ee tree:tree
yes:ye yyy:yyy syzygy:syzygi yay:yay toying:toy toyed:toy played:play buying:buy eyed:eye ing:ing ed:ed
bed:bed being:be king:king string:string axed:axe boxed:box boxing:box snowed:snow snowing:snow slowly:slowli
stay:stay owing:owe wing:wing skies:sky dying:die lying:lie tying:tie news:news innings:inning inning:inning
outings:outing outing:outing cannings:canning canning:canning howe:howe proceed:proceed exceed:exceed
succeed:succeed skating:skate rated:rate abled:abl tabled:tabl sizing:size izing:ize oed:o iing:i aied:aie
ied:i eed:eed freed:freed need:need exceeding:exceed is:is us:us as:as his:hi class:class abilities:abil
able:abl ability:abil possibly:possibl probably:probabl nicely:nice fully:fulli bull:bull till:till tell:tell
spell:spell controlled:control enrolled:enrol 2024s:2024 10ies:10i a1b2ing:a1b2 x4ed:x4ed
generalizations:gener oscillators:oscil hyphenations:hyphen multidimensional:multidimension troubles:troubl
`;

it("gives the stems of NLTK", () => {
  const pairs = STEMS.trim()
    .split(/\s+/)
    .map((pair) => pair.split(":"));
  expect(pairs.map(([word = ""]) => `${word}:${porterStem(word)}`)).toEqual(pairs.map((pair) => pair.join(":")));
});
