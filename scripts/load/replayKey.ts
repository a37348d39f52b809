import type { ProxiedCall } from '../../sandbox/index.ts';

/**
 * What is alike in two requests that a recorded reply may answer: methods and their targets, and how many accounts a call
 * changes for itself. Sizes, salts and signatures are not.
 */
export function replayKey(calls: readonly ProxiedCall[]): string {
  return calls
    .map(({ method, params }) => {
      if (method !== 'eth_call') return method;
      const [call, , accounts] = params as [{ to?: string }, unknown, object?];
      return `eth_call ${call.to} ${accounts ? Object.keys(accounts).length : ''}`;
    })
    .join(', ');
}
