import type { ProxiedCall } from '../../sandbox/index.ts';

type Accounts = Record<string, { code?: string; stateDiff?: object }>;

/**
 * Identifies requests that share a recorded reply: methods, targets, and the accounts whose storage a call overrides. The
 * key omits sizes, salts and signatures, and replaces the lens's random address with the function selector.
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
