import { z } from 'zod';
import { chainNames } from '../../engine/index.ts';

const chainHealth = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  blockNumber: z.string().nullable().meta({ description: 'The last block that was read; null before the first.' }),
});

/** `GET /health`: free; calls no RPC. */
export const healthBody = z
  .object({
    status: z.literal('ok').meta({ description: 'The process runs. chains contains the state of each chain.' }),
    version: z.string().meta({ description: 'Version of the HTTP contract.' }),
    mode: z.enum(['sandbox', 'live']).meta({ description: 'sandbox: local chains and worthless money.' }),
    notice: z.string().optional().meta({ description: 'In sandbox mode: that nothing here is real money.' }),
    chains: z
      .partialRecord(z.enum(chainNames), chainHealth)
      .meta({ description: 'The chains that quotes are served for.' }),
    payment: z
      .object({
        networks: z.array(z.string()).meta({ description: 'CAIP-2 ids of the payment networks.' }),
        gas: z.record(z.string(), z.enum(['ok', 'low', 'empty', 'unread', 'elsewhere'])).meta({
          description:
            'By network: whether the settling account can pay for gas. low: fewer than 200 settlements; elsewhere: a remote facilitator pays.',
        }),
      })
      .meta({ description: 'Accepted payment networks.' }),
  })
  .meta({ title: 'Health', description: 'State of the process and of its chains.' });

export type HealthBody = z.infer<typeof healthBody>;
