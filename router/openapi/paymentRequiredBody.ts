import { z } from 'zod';
import { errorBody } from '../errors/toErrorBody.ts';

/** The 402 body: the error, and a summary of the offer for readers. The header is authoritative. */
export const paymentRequiredBody = errorBody
  .extend({
    x402Version: z.literal(2),
    resource: z.looseObject({ url: z.string() }).optional(),
    accepts: z
      .array(
        z.looseObject({
          scheme: z.string(),
          network: z.string().meta({ description: 'CAIP-2, e.g. eip155:8453.' }),
          amount: z.string().meta({ description: 'Base units of the asset.' }),
          asset: z.string(),
          payTo: z.string(),
        }),
      )
      .meta({
        description:
          'What may be paid, on which network, to whom. A summary: sign what the PAYMENT-REQUIRED header says.',
      }),
  })
  .loose()
  .meta({ description: 'How to pay. An informative summary of the PAYMENT-REQUIRED header.' });
