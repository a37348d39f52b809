import { setTimeout as sleep } from 'node:timers/promises';
import { createTruefillClient, TruefillError } from '../../client/index.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import { type Errands, patience } from './errands.ts';
import type { Guest, TypedCalls } from './guests.ts';
import type { Purses } from './purses.ts';
import { sendOnce, sendUntilTold } from './send.ts';

/** They pay for what they want over REST, and do as they are told; some lose their connection. */
export function inviteHonest(
  { balancer, seats, solana }: ChaosWorld,
  purses: Purses,
  { regulars, quoteBody, signQuote, signCheck, signAny }: Errands,
  typed: TypedCalls,
): Record<string, Guest> {
  return {
    async buysQuote(dice) {
      await sendUntilTold(balancer.url, await signQuote(dice), patience);
    },
    async buysCheck(dice) {
      await sendUntilTold(balancer.url, await signCheck(dice), patience);
    },
    async sendsTheSameAtOnce(dice) {
      const payment = await signAny(dice);
      // At each replica, past the balancer.
      await Promise.all(seats.map(({ url }) => sendUntilTold(url, payment, patience)));
    },
    async hangsUpAndComesBack(dice) {
      const payment = await signQuote(dice);
      await sendOnce(balancer.url, payment, dice.between(5, 1_500));
      await sleep(dice.between(0, 4_000));
      await sendUntilTold(balancer.url, payment, patience);
    },
    async hangsUpAndComesToAnother(dice) {
      const payment = await signAny(dice);
      const first = dice.pick(seats);
      await sendOnce(first.url, payment, dice.between(5, 1_500));
      await sleep(dice.chance(0.3) ? dice.between(8_000, 15_000) : dice.between(0, 3_000));
      await sendUntilTold(dice.pick(seats.filter((seat) => seat !== first)).url, payment, patience);
    },
    async hangsUpForGood(dice) {
      await sendOnce(balancer.url, await signAny(dice), dice.between(5, 1_500));
    },
    async asksAgainLater(dice) {
      const payment = dice.pick(purses.payments.length > 0 ? purses.payments : [await signQuote(dice)]);
      await sendOnce(balancer.url, payment, 20_000);
    },
    async usesTheTypedClient(dice) {
      const purse = dice.pick(regulars);
      const wallet = dice.chance(0.3) ? purse.svm : purse.evm;
      const client = createTruefillClient({
        url: balancer.url,
        wallet: wallet as Parameters<typeof createTruefillClient>[0]['wallet'],
        solanaRpcUrl: solana.rpcUrl,
        patience: { attempts: 8, longestWaitMs: 2_000 },
        fetch: purses.recordingFetch,
      });
      try {
        await client.quote(quoteBody(dice) as Parameters<typeof client.quote>[0]);
        typed.answered += 1;
      } catch (error) {
        if (!(error instanceof TruefillError)) throw error;
        if (error.name === 'AnswerPendingError') typed.pending += 1;
        else typed.refused += 1;
      }
      typed.spentUsd += client.spentUsd;
    },
  };
}
