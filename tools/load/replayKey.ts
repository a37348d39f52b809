import type { Hex } from 'viem';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import { unpackCall } from '../../engine/tools/index.ts';
import type { ProxiedCall } from '../../sandbox/index.ts';

/** Contracts whose code the service compares with that of its release. */
const deployed = new Set<unknown>([
  executorDeployment.executor.address,
  ...executorDeployment.families.map(({ address }) => address),
  ...lensDeployment.lenses.map(({ address }) => address),
]);

/** A minimal proxy (ERC-1167): its first bytes, and the characters up to the end of the address. */
const [proxyStart, proxyChars] = ['0x363d3d373d3d3d363d73', 62];

type Accounts = Record<string, { code?: string; stateDiff?: object }>;

/**
 * Key of requests that share a recorded response: their methods, targets, and the accounts whose storage a call
 * overrides. It omits sizes, salts and signatures, and contains the function selector instead of a lens's random
 * address.
 */
export function replayKey(calls: readonly ProxiedCall[]): string {
  return calls
    .map(({ method, params }) => {
      if (method === 'eth_getCode') return deployed.has(params[0]) ? `eth_getCode ${params[0]}` : method;
      if (method !== 'eth_call') return method;
      const [{ to = '', data }, , accounts = {}] = params as [{ to?: string; data?: Hex }, unknown, Accounts?];
      const code = accounts[to]?.code;
      // Two lenses that are deployed answer the same call. Their proxies differ in the first bytes.
      const proxied = code?.startsWith(proxyStart) ? code.slice(0, proxyChars) : '';
      const target = code && data ? `${unpackCall(data).slice(0, 10)}${proxied}` : to;
      const changed = Object.keys(accounts).filter((account) => accounts[account]?.stateDiff);
      return `eth_call ${[target, Object.keys(accounts).length, ...changed].join(' ')}`;
    })
    .join(', ');
}
