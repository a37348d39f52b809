import { z } from 'zod';
import { errorBody } from '../errors/toErrorBody.ts';
import { requirement, resource } from './x402Headers.ts';

/** The 402 body: the error, and a summary of the offer. The header is authoritative. */
export const paymentRequiredBody = errorBody
  .extend({
    x402Version: z.literal(2).meta({ description: 'The protocol: x402 v2.' }),
    accepts: z.array(requirement).meta({
      description: 'The payment options of the PAYMENT-REQUIRED header, for clients that read only the body.',
    }),
    price: z
      .object({
        amount: z.string().meta({ description: 'Decimal US dollars.' }),
        currency: z.literal('USD').meta({ description: 'US dollars.' }),
        token: z.literal('USDC').meta({ description: 'The asset of the payment.' }),
      })
      .meta({ description: 'Price of one call.' }),
    networks: z.array(z.string()).meta({ description: 'CAIP-2 ids of the payment networks.' }),
    resource,
    firstCall: z
      .literal('free')
      .optional()
      .meta({ description: 'Present if the first call of a wallet is free: sign as usual; nothing is settled.' }),
  })
  .meta({ description: 'The error and the payment options. A summary: the PAYMENT-REQUIRED header is authoritative.' });
