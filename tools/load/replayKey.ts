import type { ProxiedCall } from '../../sandbox/index.ts';

type Accounts = Record<string, { code?: string; stateDiff?: object }>;

/**
 * Key of requests that share a recorded response: their methods, targets, and the accounts whose storage a call
 * overrides. It omits sizes, salts and signatures, and contains the function selector instead of a lens's random
 * address.
 */
export function replayKey(calls: readonly ProxiedCall[]): string {
  return calls
    .map(({ method, params }) => {
      if (method !== 'eth_call') return method;
      const [{ to = '', data }, , accounts = {}] = params as [{ to?: string; data?: string }, unknown, Accounts?];
      const target = accounts[to]?.code ? data?.slice(0, 10) : to;
      const changed = Object.keys(accounts).filter((account) => accounts[account]?.stateDiff);
      return `eth_call ${[target, Object.keys(accounts).length, ...changed].join(' ')}`;
    })
    .join(', ');
}
