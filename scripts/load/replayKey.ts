import type { ProxiedCall } from '../../sandbox/index.ts';

type Accounts = Record<string, { code?: string; stateDiff?: object }>;

/**
 * What is alike in two requests that a recorded reply may answer: methods, their targets, and the accounts whose storage
 * a call changes. Sizes, salts and signatures are not; nor is the address of a lens, whose function stands for it.
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
