import { getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isBurnAddress } from '../context/ownership.ts';
import type { HolderCandidates } from '../pretradePorts.ts';

/** A balance read at the block; `named`: the source named its holder. */
export interface ReadBalance {
  address: LowerAddress;
  balance: bigint;
  named: boolean;
}

/** Parts of the supply below this are no contradiction: explorers lag by some blocks, tokens round. In basis points. */
const slackBps = 100n;

/**
 * Why the chain contradicts a list of top holders; undefined when it does not. A list is only believed as far as it
 * can be: what its holders are said to hold, that no larger holder is left out, and that the rest of the supply fits
 * into the wallets that it did not name.
 */
export function contradictHolders(
  { holders, exactCount, approximateCount }: HolderCandidates,
  balances: readonly ReadBalance[],
  totalSupply: bigint,
): string | undefined {
  const named = balances.filter((entry) => entry.named);
  const held = sum(named.map(({ balance }) => balance));
  if (held === 0n) return 'none of the holders that it names holds any';
  const read = new Set(named.map(({ address }) => address));
  const claims = holders.filter(({ address }) => read.has(address));
  if (held * 2n < sum(claims.map(({ rawBalanceHint }) => rawBalanceHint ?? 0n))) {
    return 'the holders that it names hold less than half of what it says';
  }

  const slack = (totalSupply * slackBps) / 10_000n;
  const [smallest = 0n] = named.map(({ balance }) => balance).sort((a, b) => (a < b ? -1 : 1));
  // Explorers do not count burn addresses among the holders.
  const missing = balances.find(
    ({ address, balance, named }) => !named && !isBurnAddress(address) && balance > smallest + slack,
  );
  if (missing) return `it leaves out ${getAddress(missing.address)}, which holds more than others that it names`;

  const count = exactCount ?? approximateCount;
  if (count === null) return undefined;
  const unnamed = BigInt(Math.max(0, count - named.length));
  const rest = totalSupply - sum(balances.map(({ balance }) => balance));
  if (rest > unnamed * smallest + slack) {
    const part = Number((rest * 10_000n) / totalSupply) / 100;
    return `${part} % of the supply belongs to holders that it neither names nor leaves room for`;
  }
  return undefined;
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
