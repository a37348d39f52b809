import { setTimeout as sleep } from 'node:timers/promises';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import type { PaymentRequired } from '@x402/core/types';
import type { AppRouter } from '../../router/index.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import { type Errands, patience } from './errands.ts';
import type { Guest } from './guests.ts';
import { noteAsk } from './payments.ts';
import type { Purses } from './purses.ts';
import { callOverMcp, readTold, sendOnce, sendOverMcp, sendUntilTold, toolOf, type Way } from './send.ts';

/** By the published tRPC client, typed by our router. */
const sendOverTrpc: Way = async (url, payment, attemptMs, body = payment.body) => {
  const asked = noteAsk(payment, body);
  const client = createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${url}/trpc`,
        headers: { 'payment-signature': payment.header },
        async fetch(input, init) {
          const response = await fetch(input as string, {
            ...(init as RequestInit),
            signal: AbortSignal.timeout(attemptMs),
          });
          payment.told.push(await readTold(response.clone(), payment.path, asked));
          return response;
        },
      }),
    ],
  });
  try {
    const input = JSON.parse(body);
    await (payment.path === '/trpc/quote' ? client.quote.mutate(input) : client.pretradeCheck.mutate(input));
    return 200;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    return error.data?.httpStatus;
  }
};

/** They come over MCP or tRPC, or begin here and end there. */
export function inviteElsewhere(
  { balancer, seats }: ChaosWorld,
  purses: Purses,
  { regulars, payChain, quoteBody, checkBody, signQuote, signAny }: Errands,
): Record<string, Guest> {
  return {
    /** From the offer in the tool's own result on. */
    async buysOverMcp(dice) {
      const [path, body] = dice.chance(0.5) ? ['/v1/quote', quoteBody(dice)] : ['/v1/pretrade/check', checkBody(dice)];
      const asked = await callOverMcp(balancer.url, { name: toolOf(path), arguments: { ...body } }, 20_000);
      const offer = asked?.structuredContent as PaymentRequired | undefined;
      // It was told 503, or nothing: it pays by what it knows from elsewhere.
      const more = offer?.accepts ? { offer } : {};
      const payment = await purses.sign(dice.pick(regulars), payChain(dice), path, body, more);
      await sendUntilTold(balancer.url, payment, patience, sendOverMcp);
    },
    async beginsOnOneSurfaceAndEndsOnAnother(dice) {
      const payment = await signAny(dice);
      const [first, then] = dice.chance(0.5) ? [sendOnce, sendOverMcp] : [sendOverMcp, sendOnce];
      await first(dice.pick(seats).url, payment, dice.between(20, 1_500));
      await sleep(dice.between(0, 3_000));
      await sendUntilTold(dice.pick(seats).url, payment, patience, then);
    },
    async sendsTheSameOverTwoSurfacesAtOnce(dice) {
      const payment = await signAny(dice);
      const [one, other] = [dice.pick(seats), dice.pick(seats)];
      await Promise.all([
        sendUntilTold(one.url, payment, patience, sendOverMcp),
        sendUntilTold(other.url, payment, patience),
      ]);
    },
    async buysOverTrpc(dice) {
      const [path, body] = dice.chance(0.5)
        ? ['/trpc/quote', quoteBody(dice)]
        : ['/trpc/pretradeCheck', checkBody(dice)];
      const payment = await purses.sign(dice.pick(regulars), payChain(dice), path, body);
      await sendUntilTold(balancer.url, payment, patience, sendOverTrpc);
    },
    async hangsUpOnTools(dice) {
      const payment = await signQuote(dice);
      await sendOverMcp(balancer.url, payment, dice.between(20, 1_500));
      if (dice.chance(0.7)) await sendUntilTold(balancer.url, payment, patience, sendOverMcp);
    },
  };
}
