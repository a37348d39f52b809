/** JSON-RPC calls of one paid call, from `npm run bench:units` (`bench/units.json`). A new run replaces all values. */
interface CallUnits {
  /** Key in `bench/units.json`. */
  name: string;
  what: string;
  requests: number;
  ethCall: number;
  getLogs: number;
  simulate: number;
  /** Calls of other methods. */
  other: number;
}

export const unitsMeasuredOn = '29 November 2026';

export const callUnits: readonly CallUnits[] = [
  {
    name: 'quote, cached answer',
    what: 'quote, cached: the settlement alone',
    requests: 3,
    ethCall: 0,
    getLogs: 0,
    simulate: 0,
    other: 9,
  },
  { name: 'quote, known pair', what: 'quote, known pair', requests: 6, ethCall: 2, getLogs: 0, simulate: 0, other: 13 },
  { name: 'quote, new pair', what: 'quote, new pair', requests: 9, ethCall: 4, getLogs: 3, simulate: 0, other: 18 },
  {
    name: 'check, first of a token',
    what: 'check, first of a token',
    requests: 24,
    ethCall: 9,
    getLogs: 6,
    simulate: 13,
    other: 43,
  },
  { name: 'check, repeated', what: 'check, repeated', requests: 18, ethCall: 4, getLogs: 5, simulate: 2, other: 23 },
  {
    name: 'minute after a call',
    what: 'the minute after a call, in the background',
    requests: 40,
    ethCall: 15,
    getLogs: 0,
    simulate: 0,
    other: 85,
  },
  { name: 'idle minute', what: 'an idle minute', requests: 11, ethCall: 1, getLogs: 0, simulate: 0, other: 14 },
];

/** Published units of a call. A method without a published unit counts as `eth_call`: an upper bound. */
export const unitPrices = [
  { provider: 'Alchemy', ethCall: 26, getLogs: 60, simulate: 40 },
  { provider: 'Infura', ethCall: 80, getLogs: 255, simulate: 80 },
] as const;

/** An upper bound. */
export const unitsOf = (calls: CallUnits, price: (typeof unitPrices)[number]): number =>
  (calls.ethCall + calls.other) * price.ethCall + calls.getLogs * price.getLogs + calls.simulate * price.simulate;
