import { z } from 'zod';
import { chainNames } from '../../engine/index.ts';

const chainHealth = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  blockNumber: z.string().nullable().meta({ description: 'The last block read; null when none was yet.' }),
});

/** `GET /health`: free; calls no RPC. */
export const healthBody = z
  .object({
    status: z.literal('ok').meta({ description: 'The process answers. Look at chains for what it can read.' }),
    version: z.string().meta({ description: 'Of this contract.' }),
    mode: z.enum(['sandbox', 'live']).meta({ description: 'sandbox: local chains and worthless money.' }),
    notice: z.string().optional().meta({ description: 'In sandbox mode: that nothing here is real money.' }),
    chains: z.partialRecord(z.enum(chainNames), chainHealth).meta({ description: 'The chains quoted on.' }),
    payment: z
      .object({
        networks: z.array(z.string()).meta({ description: 'CAIP-2 ids of the networks paid on.' }),
        gas: z.record(z.string(), z.enum(['ok', 'low', 'empty', 'unread', 'elsewhere'])).meta({
          description:
            'By network: whether the settling account can pay for gas. low: fewer than 200 settlements; elsewhere: a remote facilitator pays.',
        }),
      })
      .meta({ description: 'How one can pay here.' }),
  })
  .meta({ title: 'Health', description: 'That the process answers, and what it can read.' });

export type HealthBody = z.infer<typeof healthBody>;
