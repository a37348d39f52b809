import { z } from 'zod';
import { errorBody } from '../errors/toErrorBody.ts';

/** The 402 body: the error, and a summary of the offer for readers. The header is authoritative. */
export const paymentRequiredBody = errorBody
  .extend({
    x402Version: z.literal(2),
    price: z.object({ amount: z.string(), currency: z.literal('USD'), token: z.literal('USDC') }),
    networks: z.array(z.string()).meta({ description: 'CAIP-2 ids of the networks that can be paid on.' }),
    resource: z.looseObject({ url: z.string() }),
  })
  .loose()
  .meta({ description: 'How to pay. An informative summary of the PAYMENT-REQUIRED header.' });
