import { setTimeout as sleep } from 'node:timers/promises';
import { generatePaymentId } from '@x402/extensions/payment-identifier';
import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';
import { type Errands, patience } from './errands.ts';
import type { Guest } from './guests.ts';
import type { Payment } from './payments.ts';
import type { Purse, Purses } from './purses.ts';
import { sendOnce, sendOverMcp, sendUntilTold } from './send.ts';

/** They give their payments names (`payment-identifier`), so as not to pay twice for one order, and lose their heads. */
export function inviteNamers(
  { balancer, seats }: ChaosWorld,
  purses: Purses,
  { regulars, takeFresh, evmChain, payChain, quoteBody, checkBody }: Errands,
): Record<string, Guest> {
  /** So many signatures under one name, of one wallet. */
  async function signNamesakes(dice: Dice, purse: Purse, count: number): Promise<Payment[]> {
    const name = generatePaymentId('order_');
    // A wallet is one on all EVM chains, and another one on Solana.
    const chains = dice.chance(0.3) ? (['solana'] as const) : undefined;
    const [path, body] = dice.chance(0.6) ? ['/v1/quote', quoteBody(dice)] : ['/v1/token-safety', checkBody(dice)];
    return Promise.all(
      Array.from({ length: count }, () =>
        purses.sign(purse, chains ? chains[0] : evmChain(dice), path, body, { name }),
      ),
    );
  }
  return {
    async namesItsPayment(dice) {
      const name = generatePaymentId('order_');
      const payment = await purses.sign(dice.pick(regulars), payChain(dice), '/v1/quote', quoteBody(dice), { name });
      await sendUntilTold(balancer.url, payment, patience);
    },
    async signsAnewUnderOneNameAtOnce(dice) {
      const namesakes = await signNamesakes(dice, dice.pick(regulars), dice.between(2, 4));
      await Promise.all(namesakes.map((payment) => sendUntilTold(dice.pick(seats).url, payment, patience)));
    },
    async forgetsItsSignatureAndSignsAnew(dice) {
      const [first, second] = await signNamesakes(dice, dice.pick(regulars), 2);
      if (!first || !second) return;
      await sendOnce(balancer.url, first, dice.between(5, 2_500));
      await sleep(dice.between(0, 2_000));
      await sendUntilTold(balancer.url, second, patience, dice.chance(0.5) ? sendOverMcp : sendOnce);
      // And finds the first one again.
      await sendUntilTold(balancer.url, first, patience);
    },
    async namesItsFreeCall(dice) {
      const purse = takeFresh(dice);
      if (!purse) return;
      const namesakes = await signNamesakes(dice, purse, 2);
      await Promise.all(namesakes.map((payment) => sendUntilTold(balancer.url, payment, patience)));
    },
  };
}
