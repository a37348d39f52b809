import { z } from 'zod';
import { errorBody } from '../errors/toErrorBody.ts';
import { requirement, resource } from './x402Headers.ts';

/** The 402 body: the error, and a summary of the offer for readers. The header is authoritative. */
export const paymentRequiredBody = errorBody
  .extend({
    x402Version: z.literal(2).meta({ description: 'The protocol: x402 v2.' }),
    accepts: z.array(requirement).meta({
      description: 'The ways to pay, as in the PAYMENT-REQUIRED header: for clients that read the body only.',
    }),
    price: z
      .object({
        amount: z.string().meta({ description: 'Decimal US dollars.' }),
        currency: z.literal('USD').meta({ description: 'US dollars.' }),
        token: z.literal('USDC').meta({ description: 'What it is paid in.' }),
      })
      .meta({ description: 'What one call costs.' }),
    networks: z.array(z.string()).meta({ description: 'CAIP-2 ids of the networks that can be paid on.' }),
    resource,
    firstCall: z
      .literal('free')
      .optional()
      .meta({ description: 'There when the first call of a wallet is free: sign as usual, nothing is settled.' }),
  })
  .meta({ description: 'How to pay. An informative summary of the PAYMENT-REQUIRED header.' });
