import { zeroAddress } from 'viem';
import {
  type HolderCandidates,
  type HolderSource,
  type LowerAddress,
  type RpcEndpoint,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';
import type { LogIndexer } from './logIndexer.ts';
import { createLogRpc, logsLabel } from './logRpc.ts';
import { readHolderBalances } from './readHolderBalances.ts';

/** Candidates returned; the engine reads the balances of fewer. */
const maxCandidates = 100;

interface Holding {
  address: LowerAddress;
  balance: bigint;
}

/**
 * Holders from our own index over the Transfer logs. Addresses come from the logs, balances from `balanceOf`. The count
 * is exact only if the balances add up to the total supply.
 */
export function createLogHolders(
  indexer: LogIndexer,
  endpoints: readonly RpcEndpoint[],
  now: () => number,
): HolderSource {
  return {
    label: logsLabel,
    async fetchTopHolders(token, options): Promise<HolderCandidates | null> {
      const { holders, head } = await indexer.readIndex(token, options);
      if (!holders) throw new VendorUnavailableError(logsLabel, 'not-indexed');
      if (holders.size === 0) return null;
      // Tokens sent to the zero address may still be part of the supply.
      const wallets = [zeroAddress, ...holders.keys()];
      const read = await readBalances(token, wallets, head, options.signal);
      const byLogs = [...holders.values()].map(({ holder, balance }) => ({ address: holder, balance }));
      const holdings: Holding[] = read
        ? wallets
            .map((address, index) => ({ address, balance: read.balances[index] ?? 0n }))
            .filter(({ address }) => address !== zeroAddress)
        : byLogs;
      const positive = holdings.filter(({ balance }) => balance > 0n).sort((a, b) => (a.balance < b.balance ? 1 : -1));
      const complete = read !== undefined && read.balances.reduce((sum, one) => sum + one, 0n) === read.totalSupply;
      return {
        holders: positive.slice(0, maxCandidates).map(({ address, balance }) => ({ address, rawBalanceHint: balance })),
        exactCount: complete ? positive.length : null,
        approximateCount: complete ? null : positive.length,
        source: logsLabel,
        measuredAt: now(),
        asOfBlock: BigInt(head),
      };
    },
  };

  async function readBalances(
    token: LowerAddress,
    wallets: readonly LowerAddress[],
    head: number,
    signal: AbortSignal,
  ) {
    try {
      return await readHolderBalances(
        createLogRpc(endpoints, signal, () => undefined),
        token,
        wallets,
        head,
      );
    } catch (error) {
      if (error instanceof RpcTransportError) throw new VendorUnavailableError(logsLabel, 'unreachable');
      throw error;
    }
  }
}
