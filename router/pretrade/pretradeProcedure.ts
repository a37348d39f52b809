import { type PretradeQuery, pretradeKey } from '../../engine/index.ts';
import { paidTerms } from '../paidTerms.ts';
import { assertServed } from '../quote/assertServed.ts';
import { paidProcedure } from '../ticket/paidProcedure.ts';
import { pretradeExampleAnswer } from './pretradeExample.ts';
import { type PretradeInput, pretradeExampleRequest, pretradeInput } from './pretradeInput.ts';
import { pretradeOutput } from './pretradeOutput.ts';
import { toPretradeQuery } from './toPretradeQuery.ts';
import { toPretradeWire } from './toPretradeWire.ts';

const path = '/v1/pretrade/check';
const aliases = ['/v1/token-safety', '/v1/rug-check'] as const;
const summary = 'Pretrade check of a token on Base';

/** The OpenAPI operation of each path. */
const operations = {
  [path]: { operationId: 'pretradeCheck', summary },
  [aliases[0]]: { operationId: 'token_safety', summary: `${summary} (the same endpoint as ${path})` },
  [aliases[1]]: { operationId: 'rug_check', summary: `${summary} (the same endpoint as ${path})` },
};

/** The procedure for one of its paths. All paths have the same price, input, answer and ticket. */
const procedureAt = (at: keyof typeof operations) =>
  paidProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: at,
        ...operations[at],
        description:
          'Checks whether one of three traps is proven at this block: no exit venue, exit liquidity drained, trading disabled. Also returns the measurements: ' +
          'liquidity by simulated sales, taxes and blocked trades by simulated trades, holders, age, oracle, owner powers. ' +
          'Only the three listed traps give avoid, so a token that cannot be sold may be clear. Read risk_profile.transferability (outcome, taxes) before the verdict. ' +
          'A value that could not be measured is null or unknown, with the reason; it never counts as proof that a trap is absent.  ' +
          'Verdict semantics: v2, since 2026-08-01; the former values ok and caution no longer exist.',
        tags: ['pretrade'],
        successDescription: 'The check.',
        protect: false,
      },
      paid: paidTerms<PretradeInput, PretradeQuery>({
        product: 'pretradeCheck',
        priceUsd: '0.05',
        trialGroup: 'pretrade',
        aliases,
        exampleRequest: pretradeExampleRequest,
        exampleAnswer: pretradeExampleAnswer,
        toQuery: toPretradeQuery,
        identify: pretradeKey,
        beforePayment: ({ chain }, engine) => assertServed(chain, engine, 'check'),
        beforeCharge: ({ chain }, engine) => engine.reach(chain, 'check'),
      }),
    })
    .input(pretradeInput)
    .output(pretradeOutput)
    .mutation(async ({ ctx }) => {
      const isFree = ctx.ticket?.free === true;
      return toPretradeWire(await ctx.pretrade.check(ctx.query as PretradeQuery, { isFree }));
    });

/** The pretrade check. */
export const pretradeProcedure = procedureAt(path);

/** The aliases, for REST only: tRPC and MCP have one name for the pretrade check. */
export const pretradeAliasProcedures = {
  tokenSafety: procedureAt(aliases[0]),
  rugCheck: procedureAt(aliases[1]),
};
