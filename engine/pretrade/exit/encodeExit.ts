import { type Hex, size } from 'viem';
import { encodeWords, toWord } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { LoggedPool } from './exitTypes.ts';

export interface ExitQuery {
  token: LowerAddress;
  known: readonly Omit<LoggedPool, 'venue'>[];
  /** Accounts whose balances of the token are read. */
  holders: readonly LowerAddress[];
  /** Getters without arguments, by selector. */
  getters: readonly Hex[];
  /** Sell to the end of a concentrated pool's price range: an upper bound, which costs more gas. */
  whole: boolean;
}

/** `LoggedPool` of ExitSales.sol. */
const toPoolWords = ({
  kind,
  pool,
  counter,
  fee,
  tickSpacing,
  hooks,
}: Omit<LoggedPool, 'venue'>): (bigint | string)[] => {
  const shape = (BigInt(kind) << 48n) | (BigInt(fee) << 24n) | BigInt.asUintN(24, BigInt(tickSpacing));
  return [(shape << 160n) | BigInt(pool), counter, hooks];
};
const poolWords = 3;

/** `query(bytes,address,(uint256,address,address)[],address[],bytes4[],uint256,bool)` of ExitLens.sol. */
export const exitSelector = '0x33de283f';

/**
 * Creates the encoder for one chain from its packed configuration (`encodeChainConfig`). `salt` must be new for every
 * call, and tokens must not be able to predict it.
 */
export function createExitEncoder(config: Hex): (query: ExitQuery, salt: bigint) => Hex {
  const bytes = size(config);
  const configWords = toWord(BigInt(bytes)) + config.slice(2) + '00'.repeat((32 - (bytes % 32)) % 32);
  const configSize = BigInt(configWords.length / 2);
  return ({ token, known, holders, getters, whole }, salt) => {
    const headSize = 7n * 32n;
    const knownAt = headSize + configSize;
    const holdersAt = knownAt + 32n + BigInt(known.length * poolWords) * 32n;
    const gettersAt = holdersAt + 32n + BigInt(holders.length) * 32n;
    const pools = known.flatMap(toPoolWords);
    const start = encodeWords(exitSelector, [headSize, token, knownAt, holdersAt, gettersAt, salt, whole ? 1n : 0n]);
    const lists = [BigInt(known.length), ...pools, BigInt(holders.length), ...holders, BigInt(getters.length)];
    const selectors = getters.map((selector) => selector.slice(2).padEnd(64, '0')).join('');
    return `${start}${configWords}${lists.map(toWord).join('')}${selectors}`;
  };
}
