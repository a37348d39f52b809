import { z } from 'zod';
import { chainNames } from '../../engine/index.ts';

const chainHealth = z.object({
  status: z.enum(['ok', 'degraded', 'down']).meta({
    description:
      'degraded: the last request to a node failed; or a node lacks a capability that checks need, or failed to simulate trades in the last minute. down: no node can serve a call.',
  }),
  blockNumber: z
    .string()
    .nullable()
    .meta({ description: 'The last block read; null if the chain is down or none was read yet.' }),
  limits: z.array(z.string()).optional().meta({
    description:
      'One entry for each RPC node that lacks a capability or has a limit: its label, then the limitation. Absent: none is known.',
  }),
  executor: z.enum(['deployed', 'missing', 'unread', 'withdrawn']).meta({
    description:
      'Whether POST /v1/quote/transaction serves the chain. deployed: the executor has the code of this release; missing: it does not; unread: no node has returned the code yet, or none returns it any more; withdrawn: this version is faulty.',
  }),
  lenses: z.enum(['deployed', 'missing', 'unread', 'withdrawn']).meta({
    description:
      'Whether requests to nodes use the lenses that the chain has. deployed: they have the code of this release; otherwise each request contains the code. The answers do not depend on this.',
  }),
  poolIndex: z.string().optional().meta({
    description:
      'Progress of the index of pools, which is built if a node refuses logs of all blocks. Absent: no index is needed.',
  }),
});

/** The body of `GET /health`, which is free and requests nothing from a node. */
export const healthBody = z
  .object({
    status: z.enum(['ok', 'degraded']).meta({
      description:
        'ok: the process runs; chains contains the state of each chain. degraded: the payment database cannot be written, or the clock differs from the time of the chains.',
    }),
    version: z.string().meta({ description: 'Version of the HTTP API.' }),
    mode: z.enum(['sandbox', 'live']).meta({ description: 'sandbox: local chains and worthless money.' }),
    notice: z.string().optional().meta({ description: 'Only in sandbox mode: a notice that no real money is used.' }),
    chains: z
      .partialRecord(z.enum(chainNames), chainHealth)
      .meta({ description: 'The chains that quotes are available for.' }),
    executor: z
      .object({
        version: z.int().meta({ description: 'Version of the contract. New code has a new version and address.' }),
        address: z.string().meta({ description: 'Address of the executor; the same on every chain.' }),
        codeHash: z.string().meta({ description: 'keccak256 of its code.' }),
      })
      .meta({ description: 'The executor of this release, which executes quotes. It is not audited.' }),
    database: z.enum(['ok', 'unavailable']).meta({
      description: 'unavailable: payments cannot be recorded and are refused with 503, uncharged.',
    }),
    clock: z
      .object({
        serviceTime: z.iso
          .datetime()
          .meta({ description: "Time of the service's clock.", examples: ['2026-11-21T12:10:00.000Z'] }),
        chainTime: z.iso.datetime().meta({
          description: 'Time of the newest block, at the same moment.',
          examples: ['2026-11-21T12:00:00.000Z'],
        }),
      })
      .optional()
      .meta({
        description:
          'Present only if `serviceTime` and `chainTime` differ by more than 30 seconds. Payments may then be refused as expired, or as not yet valid.',
      }),
    payment: z
      .object({
        networks: z.array(z.string()).meta({ description: 'CAIP-2 ids of the payment networks.' }),
        settlement: z
          .record(
            z.string(),
            z.enum([
              'ok',
              'no_gas',
              'gas_price',
              'gas_cost_unknown',
              'payee_blocked',
              'token_paused',
              'node_unreachable',
              'facilitator_unavailable',
            ]),
          )
          .meta({
            description:
              'Whether payments can settle now, by network. ok: the network is offered. Otherwise why it is not: ' +
              'no_gas, gas_price (gas costs at least as much as a call), gas_cost_unknown, payee_blocked, token_paused, ' +
              'node_unreachable or facilitator_unavailable.',
          }),
        gas: z.record(z.string(), z.enum(['ok', 'low', 'empty', 'unread', 'elsewhere'])).meta({
          description:
            'Gas of the settling account, by network. ok: at least 200 settlements; low: fewer than 200; empty: none; ' +
            'unread: not read yet; elsewhere: a remote facilitator pays.',
        }),
      })
      .meta({ description: 'The payment networks and their gas.' }),
  })
  .meta({ title: 'Health', description: 'State of the process and of its chains.' });

export type HealthBody = z.infer<typeof healthBody>;
