import { type Hex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { fromSharedSimulation } from './fromSimulation.ts';
import type { SimulationLayout } from './toSimulation.ts';

// What a node returns for a simulation of two blocks without trades.

const layout: SimulationLayout = {
  waits: 'never',
  baseFee: 7n,
  firstTimestamp: 1_001n,
  later: [{ timestamp: 1_002n, steps: [] }],
};

const word = (value: bigint) => numberToHex(value, { size: 32 }).slice(2);
/** The first block reports its number, time and base fee. */
const probed = (number: bigint, timestamp: bigint, baseFee: bigint): Hex =>
  `0x${word(number)}${word(timestamp)}${word(baseFee)}`;
const blocksOf = ({ number = 11n, time = 1_002n, fee = 7n, seen = 11n, first = 1_001n } = {}) => [
  { number: '0xb', timestamp: numberToHex(first), calls: [{ status: '0x1', returnData: probed(seen, 1_001n, fee) }] },
  { number: numberToHex(number + 1n), timestamp: numberToHex(time), calls: [] },
];

test('a node that executes the requested blocks is fit', () => {
  expect(fromSharedSimulation([], layout, blocksOf())).toMatchObject({ isUnfit: false, firstNumber: 11n });
});

test.each([
  ['inserts a block', { number: 12n }],
  ['gives a block another time', { time: 1_013n }],
  ['runs the first block as another one', { seen: 10n }],
  ['runs it with another base fee', { fee: 0n }],
  ['starts at another time', { first: 1_012n }],
])('a node that %s is unfit: its simulations are no evidence', (_, changes) => {
  expect(fromSharedSimulation([], layout, blocksOf(changes)).isUnfit).toBe(true);
});
