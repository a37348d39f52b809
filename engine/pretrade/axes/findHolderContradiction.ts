import { getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isBurnAddress } from '../context/ownership.ts';
import type { HolderCandidates } from '../pretradePorts.ts';

/** A balance read at the block. `listed`: the source listed its holder. */
export interface ReadBalance {
  address: LowerAddress;
  balance: bigint;
  listed: boolean;
}

/** Balances of the candidates and of the known pools, read on chain at one block. */
export interface HolderBalances {
  blockNumber: bigint;
  balances: ReadBalance[];
  /** Number of balances that could not be read. */
  unread: number;
  /** Those of `unread` whose holders the source listed. */
  unreadListed: number;
}

/** Tolerance in basis points of the supply: explorers lag by some blocks, and tokens round. */
const slackBps = 100n;

/**
 * Compares a list of top holders with balances at the block. Returns the contradiction if its balances are wrong, a larger
 * holder is missing, or its holder count is too small for the rest of the supply. Undefined without a contradiction.
 */
export function findHolderContradiction(
  { holders, exactCount, approximateCount }: HolderCandidates,
  balances: readonly ReadBalance[],
  totalSupply: bigint,
): string | undefined {
  const listed = balances.filter((entry) => entry.listed);
  const held = sum(listed.map(({ balance }) => balance));
  if (held === 0n) return 'none of the listed holders has a balance';
  const read = new Set(listed.map(({ address }) => address));
  const claims = holders.filter(({ address }) => read.has(address));
  if (held * 2n < sum(claims.map(({ rawBalanceHint }) => rawBalanceHint ?? 0n))) {
    return 'the listed holders have less than half of the balances that it reports';
  }

  const slack = (totalSupply * slackBps) / 10_000n;
  const [smallest = 0n] = listed.map(({ balance }) => balance).sort((a, b) => (a < b ? -1 : 1));
  // Explorers do not count burn addresses among the holders.
  const missing = balances.find(
    ({ address, balance, listed: isListed }) => !isListed && !isBurnAddress(address) && balance > smallest + slack,
  );
  if (missing) return `it omits ${getAddress(missing.address)}, which holds more than a listed holder`;

  const count = exactCount ?? approximateCount;
  if (count === null) return undefined;
  const unlisted = BigInt(Math.max(0, count - listed.length));
  const rest = totalSupply - sum(balances.map(({ balance }) => balance));
  if (rest > unlisted * smallest + slack) {
    const part = Number((rest * 10_000n) / totalSupply) / 100;
    return `${part} % of the supply must belong to more holders than it counts`;
  }
  return undefined;
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
