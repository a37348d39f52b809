import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createTruefillClient, TruefillError } from '../../client/index.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';
import { authorizationOf, type PayChain, type Payment, type Purses } from './purses.ts';
import { sendOnce, sendUntilTold } from './send.ts';

const checkPaths = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'] as const;
const patience = { tries: 12, attemptMs: 45_000 };

const outsideAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** Somebody who comes once, does one thing, and leaves. */
type Guest = (dice: Dice) => Promise<void>;

/** What the typed client was told, which keeps its own count. */
export interface TypedCalls {
  answered: number;
  pending: number;
  refused: number;
  spentUsd: number;
}

/** All kinds of clients, honest and other. */
export function inviteGuests(
  world: ChaosWorld,
  purses: Purses,
  regulars: readonly PrivateKeyAccount[],
  fresh: PrivateKeyAccount[],
) {
  const { balancer, chains, sandbox } = world;
  const { base } = chains;
  const animals = sandbox.zoo?.animals ?? [];
  const typed: TypedCalls = { answered: 0, pending: 0, refused: 0, spentUsd: 0 };

  const payChain = (dice: Dice): PayChain => (dice.chance(0.7) ? 'base' : 'polygon');
  const size = (dice: Dice) => `${dice.between(1, 40) / 10}`;
  const honest = base.tokens.filter(({ symbol }) => ['WETH', 'USDC', 'USDbC', 'DAI', 'cbETH', 'AERO'].includes(symbol));
  const tokens = honest.length >= 2 ? honest : base.tokens.slice(0, 4);

  function quoteBody(dice: Dice): object {
    const tokenIn = dice.pick(tokens);
    const tokenOut = dice.pick(tokens.filter((token) => token !== tokenIn));
    const sized = dice.chance(0.5) ? { sizeIn: size(dice) } : { sizeUSD: `${dice.between(5, 3_000)}` };
    return { tokenIn: tokenIn.address, tokenOut: tokenOut.address, ...sized };
  }
  function checkBody(dice: Dice): object {
    const token = dice.chance(0.8) && animals.length > 0 ? dice.pick(animals).address : dice.pick(tokens).address;
    return { token, ...(dice.chance(0.3) && { sizeUSD: '1000' }) };
  }
  const signQuote = (dice: Dice, wallet = dice.pick(regulars)) =>
    purses.sign(wallet, payChain(dice), '/v1/quote', quoteBody(dice));
  const signCheck = (dice: Dice, wallet = dice.pick(regulars)) =>
    purses.sign(wallet, payChain(dice), dice.pick(checkPaths), checkBody(dice));

  let outside: Promise<unknown> = Promise.resolve();
  /** One after another: the outsider's nonces are its own business. */
  function sendOutside(from: Address, to: Address, data: Hex, chain = base): Promise<unknown> {
    outside = outside
      .then(async () => {
        await world.node(chain, 'anvil_impersonateAccount', [from]);
        await world.node(chain, 'anvil_setBalance', [from, numberToHex(10n ** 18n)]);
        return world.node(chain, 'eth_sendTransaction', [{ from, to, data, gas: numberToHex(300_000) }]);
      })
      // It may come too late, or be refused: both are part of the game.
      .catch(() => undefined);
    return outside;
  }
  const sendAuthorizationOutside = (payment: Payment) => {
    const { from, to, value, validAfter, validBefore, nonce, signature } = authorizationOf(payment);
    payment.sentOutside = true;
    const data = encodeFunctionData({
      abi: outsideAbi,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    });
    const chain = chains[payment.chain];
    return sendOutside(world.outsider.address, chain.usdc, data, chain);
  };

  const kinds: Record<string, Guest> = {
    async buysQuote(dice) {
      await sendUntilTold(balancer.url, await signQuote(dice), patience);
    },
    async buysCheck(dice) {
      await sendUntilTold(balancer.url, await signCheck(dice), patience);
    },
    async triesTwiceForFree(dice) {
      const wallet = fresh.pop();
      if (!wallet) return;
      const tries = await Promise.all(Array.from({ length: dice.between(2, 4) }, () => signCheck(dice, wallet)));
      await Promise.all(tries.map((payment) => sendUntilTold(balancer.url, payment, patience)));
    },
    async sendsTheSameAtOnce(dice) {
      const payment = await (dice.chance(0.5) ? signQuote(dice) : signCheck(dice));
      // At each replica, past the balancer.
      await Promise.all(world.seats.map(({ url }) => sendUntilTold(url, payment, patience)));
    },
    async hangsUpAndComesBack(dice) {
      const payment = await signQuote(dice);
      await sendOnce(balancer.url, payment, dice.between(5, 1_500));
      await sleep(dice.between(0, 4_000));
      await sendUntilTold(balancer.url, payment, patience);
    },
    async hangsUpForGood(dice) {
      await sendOnce(balancer.url, await signQuote(dice), dice.between(5, 1_500));
    },
    async usesAPaymentForTwoThings(dice) {
      const payment = await signQuote(dice);
      const other = JSON.stringify(quoteBody(dice));
      await Promise.all([
        sendUntilTold(balancer.url, payment, patience),
        sleep(dice.between(0, 1_500)).then(() => sendOnce(balancer.url, payment, 20_000, other)),
      ]);
    },
    async asksAgainLater(dice) {
      const payment = dice.pick(purses.payments.length > 0 ? purses.payments : [await signQuote(dice)]);
      await sendOnce(balancer.url, payment, 20_000);
    },
    async paysAnotherWay(dice) {
      const payment = await signQuote(dice);
      if (dice.chance(0.5)) await sendAuthorizationOutside(payment);
      const sending = sendUntilTold(balancer.url, payment, patience);
      await sleep(dice.between(0, 300));
      await sendAuthorizationOutside(payment);
      await sending;
    },
    async emptiesItsPurse(dice) {
      const wallet = fresh.pop();
      if (!wallet) return;
      const payment = await signCheck(dice, wallet);
      const chain = chains[payment.chain];
      const all = await world.usdcOf(chain, wallet.address);
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [world.outsider.address, all] });
      const sending = sendUntilTold(balancer.url, payment, patience);
      await sleep(dice.between(0, 400));
      await sendOutside(wallet.address, chain.usdc, data, chain);
      await sending;
      await sendUntilTold(balancer.url, await signCheck(dice, wallet), { ...patience, tries: 2 });
    },
    async ownsNothing(dice) {
      const wallet = fresh.pop();
      if (!wallet) return;
      const payment = await signQuote(dice, wallet);
      const wrong = { ...payment.payload, accepted: { ...payment.payload.accepted, amount: '1' } };
      payment.header = Buffer.from(JSON.stringify(wrong)).toString('base64');
      await sendOnce(balancer.url, payment, 20_000);
      fresh.push(wallet);
    },
    async usesTheTypedClient(dice) {
      const wallet = dice.pick(regulars);
      const client = createTruefillClient({
        url: balancer.url,
        wallet,
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
  return { kinds, typed };
}
