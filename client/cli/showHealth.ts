import type { Health } from '../wire.ts';
import { sanitize } from './sanitize.ts';
import { type Paint, plain } from './style.ts';
import { table } from './tables.ts';

/** Formats the state of the service for the terminal. */
export function showHealth(health: Health, paint: Paint = plain): string {
  return [
    paint('bold', sanitize(`${health.status}  truefill ${health.version} (${health.mode})`)),
    ...(health.notice ? [sanitize(health.notice)] : []),
    '',
    table(
      [
        ...Object.entries(health.chains).map(
          ([chain, state]) =>
            [
              chain,
              `${state.status.padEnd(8)} block ${(state.blockNumber ?? 'not read yet').padEnd(12)} executor ${state.executor}, lenses ${state.lenses}`,
            ] as const,
        ),
        ['payment', health.payment.networks.join(', ')],
      ],
      paint,
    ),
  ].join('\n');
}
