import { type QuoteQuery, queryKey } from '../../engine/index.ts';
import { paidTerms } from '../paidTerms.ts';
import { paidProcedure } from '../ticket/paidProcedure.ts';
import { assertContracts } from './assertContracts.ts';
import { assertServed } from './assertServed.ts';
import { quoteExampleAnswer } from './quoteExample.ts';
import { type QuoteInput, quoteExampleRequest, quoteInput } from './quoteInput.ts';
import { quoteOutput } from './quoteOutput.ts';
import { toQuery } from './toQuery.ts';
import { toWire } from './toWire.ts';

/** The executable quote for the full size. */
export const quoteProcedure = paidProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/v1/quote',
      operationId: 'quote',
      summary: 'Executable quote for the full size',
      description:
        'The price at which the full size would execute, computed from the state of the venues at one block. It is not a mid or spot price. ' +
        'If no venue fills the size, the response is 200 with amountOut "0" and the flag NO_ROUTE. ' +
        'A request with a payment returns 400 and is not charged if an address has no code on the chain, or if the size is below one base unit of tokenIn.',
      tags: ['quote'],
      successDescription: 'The quote.',
      protect: false,
    },
    paid: paidTerms<QuoteInput, QuoteQuery>({
      product: 'quote',
      priceUsd: '0.02',
      trialGroup: 'quote',
      aliases: [],
      exampleRequest: quoteExampleRequest,
      exampleAnswer: quoteExampleAnswer,
      toQuery,
      identify: queryKey,
      beforePayment: ({ chain }, engine) => assertServed(chain, engine, 'quote'),
      beforeCharge: async (query, engine) => {
        await assertContracts(query, engine);
        await engine.reach(query.chain, 'quote');
      },
      prepare: (query, engine) => void engine.prepare(query),
    }),
  })
  .input(quoteInput)
  .output(quoteOutput)
  .mutation(async ({ ctx }) => toWire(await ctx.engine.quote(ctx.query as QuoteQuery)));
