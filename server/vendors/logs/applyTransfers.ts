import { zeroAddress } from 'viem';
import type { LogHolder } from '../../storage/index.ts';
import type { LowerAddress } from '../ports.ts';
import type { Transfer } from './parseTransfer.ts';

/**
 * Applies transfers to balances and returns the changed wallets. The zero address, the source of mints and target of
 * burns, is skipped.
 */
export function applyTransfers(holders: Map<LowerAddress, LogHolder>, transfers: readonly Transfer[]): LogHolder[] {
  const changed = new Set<LowerAddress>();
  const move = (wallet: LowerAddress, delta: bigint, sentBlock: number | undefined) => {
    if (wallet === zeroAddress) return;
    const before = holders.get(wallet);
    const lastSentBlock = sentBlock ?? before?.lastSentBlock;
    holders.set(wallet, { holder: wallet, balance: (before?.balance ?? 0n) + delta, lastSentBlock });
    changed.add(wallet);
  };
  for (const { block, parties } of transfers) {
    if (!parties) continue;
    move(parties.from, -parties.value, block);
    move(parties.to, parties.value, undefined);
  }
  return [...changed].flatMap((wallet) => holders.get(wallet) ?? []);
}
