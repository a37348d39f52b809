import { paidProcedure } from '../door/paidProcedure.ts';
import { paidTerms } from '../paidTerms.ts';
import { assertServed } from '../quote/assertServed.ts';
import { pretradeExampleAnswer } from './pretradeExample.ts';
import { type PretradeInput, pretradeExampleRequest, pretradeInput } from './pretradeInput.ts';
import { pretradeOutput } from './pretradeOutput.ts';
import { toPretradeQuestion } from './toPretradeQuestion.ts';
import { toPretradeWire } from './toPretradeWire.ts';

/** The pre-trade check: proof, not opinion. */
export const pretradeProcedure = paidProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/v1/pretrade/check',
      operationId: 'pretradeCheck',
      summary: 'Pre-trade check of a token on Base',
      description:
        'Is one of three traps proven at this block (no exit venue, exit liquidity drained, trading disabled), and what are the measured facts: ' +
        'liquidity by simulated sales, taxes and blocks by simulated trades, holders, age, oracle, owner powers. ' +
        'What could not be measured is null or unknown, with the reason; it never counts as clean.',
      tags: ['pretrade'],
      successDescription: 'The check.',
      protect: false,
    },
    paid: paidTerms<PretradeInput>({
      priceUsd: '0.05',
      trialGroup: 'pretrade',
      aliases: ['/v1/token-safety', '/v1/rug-check'],
      exampleRequest: pretradeExampleRequest,
      exampleAnswer: pretradeExampleAnswer,
      beforeMoney: (input, engine) => assertServed(toPretradeQuestion(input).chain, engine),
      beforeCharge: (input, engine) => engine.reach(toPretradeQuestion(input).chain),
    }),
  })
  .input(pretradeInput)
  .output(pretradeOutput)
  .mutation(async ({ input, ctx }) => toPretradeWire(await ctx.pretrade.check(toPretradeQuestion(input))));
