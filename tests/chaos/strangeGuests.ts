import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem';
import type { ChaosWorld } from './chaosWorld.ts';
import { type Errands, patience } from './errands.ts';
import type { Guest } from './guests.ts';
import { authorizationOf, type Payment } from './payments.ts';
import type { Purses } from './purses.ts';
import { sendOnce, sendOverMcp, sendUntilTold } from './send.ts';

const outsideAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
/** How an envelope for a wallet that is to be deployed ends (ERC-6492). */
const wrapSuffix = '6492'.repeat(16);

const encodeHeader = (payload: object): string => Buffer.from(JSON.stringify(payload)).toString('base64');

/** They want more than they pay for, or pay in ways that nobody thought of. */
export function inviteStrange(
  world: ChaosWorld,
  purses: Purses,
  { regulars, takeFresh, giveBack, evmChain, payChain, quoteBody, checkBody, checkPath, signQuote, signCheck }: Errands,
): Record<string, Guest> {
  const { balancer, chains, solana } = world;

  let outside: Promise<unknown> = Promise.resolve();
  /** One after another: the outsider's nonces are its own business. */
  function sendOutside(from: Address, to: Address, data: Hex, chain = chains.base): Promise<unknown> {
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
  const sendAuthorizationOutside = (payment: Payment, chain: typeof chains.base) => {
    const { from, to, value, validAfter, validBefore, nonce, signature } = authorizationOf(payment);
    payment.sentOutside = true;
    const data = encodeFunctionData({
      abi: outsideAbi,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    });
    return sendOutside(world.outsider.address, chain.usdc, data, chain);
  };

  return {
    async triesTwiceForFree(dice) {
      const purse = takeFresh(dice);
      if (!purse) return;
      const tries = await Promise.all(Array.from({ length: dice.between(2, 4) }, () => signCheck(dice, purse)));
      await Promise.all(
        tries.map((payment) =>
          sendUntilTold(balancer.url, payment, patience, dice.chance(0.3) ? sendOverMcp : sendOnce),
        ),
      );
    },
    async usesAPaymentForTwoThings(dice) {
      const payment = await signQuote(dice);
      const other = JSON.stringify(quoteBody(dice));
      const way = dice.chance(0.3) ? sendOverMcp : sendOnce;
      await Promise.all([
        sendUntilTold(balancer.url, payment, patience),
        sleep(dice.between(0, 1_500)).then(() => way(balancer.url, payment, 20_000, other)),
      ]);
    },
    async paysAnotherWay(dice) {
      const chain = evmChain(dice);
      const payment = await purses.sign(dice.pick(regulars), chain, '/v1/quote', quoteBody(dice));
      if (dice.chance(0.5)) await sendAuthorizationOutside(payment, chains[chain]);
      const sending = sendUntilTold(balancer.url, payment, patience);
      await sleep(dice.between(0, 300));
      await sendAuthorizationOutside(payment, chains[chain]);
      await sending;
    },
    async emptiesItsPurse(dice) {
      const purse = takeFresh(dice);
      if (!purse) return;
      const chain = payChain(dice);
      const payment = await purses.sign(purse, chain, checkPath(dice), checkBody(dice));
      const sending = sendUntilTold(balancer.url, payment, patience);
      await sleep(dice.between(0, 400));
      if (chain === 'solana') await solana.giveUsdc(purse.svm.address, 0n);
      else {
        const { address } = purse.evm;
        const all = await world.usdcOf(chains[chain], address);
        const args = [world.outsider.address, all] as const;
        const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
        await sendOutside(address, chains[chain].usdc, data, chains[chain]);
      }
      await sending;
      await sendUntilTold(balancer.url, await signCheck(dice, purse), { ...patience, tries: 2 });
    },
    async ownsNothing(dice) {
      const purse = takeFresh(dice);
      if (!purse) return;
      const payment = await signQuote(dice, purse);
      payment.header = encodeHeader({ ...payment.payload, accepted: { ...payment.payload.accepted, amount: '1' } });
      await sendOnce(balancer.url, payment, 20_000);
      giveBack(purse);
    },
    async wrapsItsSignature(dice) {
      const chain = evmChain(dice);
      const payment = await purses.sign(dice.pick(regulars), chain, '/v1/quote', quoteBody(dice));
      const { signature, from } = authorizationOf(payment);
      const envelope = encodeAbiParameters(
        [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
        [from, '0x1234', signature],
      );
      payment.payload = {
        ...payment.payload,
        payload: { ...payment.payload.payload, signature: `${envelope}${wrapSuffix}` },
      };
      payment.header = encodeHeader(payment.payload);
      await sendUntilTold(balancer.url, payment, patience);
    },
  };
}
