import type { Health } from '../wire.ts';
import { table } from './tables.ts';
import { tame } from './tame.ts';

/** Liveness for the terminal. */
export function showHealth(health: Health): string {
  return [
    tame(`${health.status}  truefill ${health.version} (${health.mode})`),
    ...(health.notice ? [tame(health.notice)] : []),
    '',
    table([
      ...Object.entries(health.chains).map(
        ([chain, state]) => [chain, `${state.status.padEnd(8)} block ${state.blockNumber ?? 'not read yet'}`] as const,
      ),
      ['paid on', health.payment.networks.join(', ')],
    ]),
  ].join('\n');
}
