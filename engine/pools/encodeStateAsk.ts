import { type Hex, size, toFunctionSelector } from 'viem';
import { kinds } from '../venues/kinds.ts';
import type { KnownPool, StatePair, StateQuestion } from './stateQuestion.ts';

/** `ask` of contracts/lens/StateLens.sol. */
export const stateSelector = toFunctionSelector(
  'function ask(bytes world, (address,uint256)[] tokens, uint256[] pairs, (uint256,uint256,address,address,uint256,int256,address,uint256)[] known, address[] feeds, uint256 ticks)',
);

const directions = { a: 1, b: 2, both: 3 } as const;

/** Makes the encoder of one chain; `world` is the same in every call. */
export function createStateEncoder(world: Hex): (question: StateQuestion) => Hex {
  const bytes = size(world);
  const padded = world.slice(2).padEnd(Math.ceil(bytes / 32) * 64, '0');
  const first = word(bytes) + padded;
  return ({ tokens, pairs, known, feeds, ticks }) => {
    const indices = new Map(tokens.map(({ address }, index) => [address.toLowerCase(), index]));
    const lists = [
      list(tokens, ({ address, worth = 0n }) => word(address) + word(clip(worth))),
      list(pairs, (pair) => word(packPair(pair))),
      list(known, (pool) => encodeKnown(pool, indices)),
      list(feeds, word),
    ];
    let at = 6 * 32;
    const offsets = [first, ...lists].map((text) => {
      const offset = word(at);
      at += text.length / 2;
      return offset;
    });
    return `${stateSelector}${offsets.join('')}${word(ticks)}${first}${lists.join('')}`;
  };
}

const list = <T>(items: readonly T[], encode: (item: T) => string) => word(items.length) + items.map(encode).join('');

const packPair = ({ a, b, sells }: StatePair) => a | (b << 8) | (directions[sells] << 16);

function encodeKnown({ ref, sells, ticks = 0 }: KnownPool, indices: ReadonlyMap<string, number>): string {
  const { slot, id, token0, token1 } = ref;
  const [a, b] = [indices.get(token0), indices.get(token1)];
  if (a === undefined || b === undefined) throw new RangeError(`The tokens of pool ${id} are not in the question.`);
  const pair = packPair({ a, b, sells: sells === 'both' ? 'both' : sells === 'token0' ? 'a' : 'b' });
  const pool = slot.kind >= kinds.v4 ? slot.factory : id;
  const head = [word(pair), word(slot.kind), word(pool), word(slot.factory)];
  return [...head, word(slot.fee), word(slot.tickSpacing), word(slot.hooks), word(ticks)].join('');
}

const largest = 2n ** 256n - 1n;
const clip = (value: bigint) => (value > largest ? largest : value);

const word = (value: number | bigint | Hex): string =>
  (typeof value === 'string' ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, '0');
