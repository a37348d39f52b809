import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';
import type { EvmPayChain, PayChain } from './payments.ts';
import type { Purse, Purses } from './purses.ts';
import type { Patience } from './send.ts';

const checkPaths = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'] as const;

/** As the service asks of its clients: some tries, and time for each. */
export const patience: Patience = { tries: 12, attemptMs: 45_000 };

/** What guests come for, and with whose money. */
export interface Errands {
  /** Filled well, and used again and again. */
  regulars: readonly Purse[];
  /** Taken once; empty when the run has lasted longer than they do. */
  takeFresh(dice: Dice): Purse | undefined;
  giveBack(purse: Purse): void;
  payChain(dice: Dice): PayChain;
  evmChain(dice: Dice): EvmPayChain;
  quoteBody(dice: Dice): { tokenIn: string; tokenOut: string } & ({ sizeIn: string } | { sizeUSD: string });
  checkBody(dice: Dice): { token: string; sizeUSD?: string };
  checkPath(dice: Dice): string;
  signQuote(dice: Dice, purse?: Purse): ReturnType<Purses['sign']>;
  signCheck(dice: Dice, purse?: Purse): ReturnType<Purses['sign']>;
  /** One or the other. */
  signAny(dice: Dice, purse?: Purse): ReturnType<Purses['sign']>;
}

export function planErrands(
  { chains: { base }, sandbox }: ChaosWorld,
  { sign }: Purses,
  regulars: readonly Purse[],
  fresh: Purse[],
): Errands {
  const animals = sandbox.zoo?.animals ?? [];
  const honest = base.tokens.filter(({ symbol }) => ['WETH', 'USDC', 'USDbC', 'DAI', 'cbETH', 'AERO'].includes(symbol));
  const tokens = honest.length >= 2 ? honest : base.tokens.slice(0, 4);

  const errands: Errands = {
    regulars,
    takeFresh: (dice) => fresh.splice(dice.between(0, Math.max(0, fresh.length - 1)), 1)[0],
    giveBack: (purse) => void fresh.push(purse),
    payChain: (dice) => dice.pick<PayChain>(['base', 'base', 'polygon', 'solana', 'solana']),
    evmChain: (dice) => dice.pick<EvmPayChain>(['base', 'base', 'polygon']),
    quoteBody(dice) {
      const tokenIn = dice.pick(tokens);
      const tokenOut = dice.pick(tokens.filter((token) => token !== tokenIn));
      const sized = dice.chance(0.5)
        ? { sizeIn: `${dice.between(1, 40) / 10}` }
        : { sizeUSD: `${dice.between(5, 3_000)}` };
      return { tokenIn: tokenIn.address, tokenOut: tokenOut.address, ...sized };
    },
    checkBody(dice) {
      const token = dice.chance(0.8) && animals.length > 0 ? dice.pick(animals).address : dice.pick(tokens).address;
      return { token, ...(dice.chance(0.3) && { sizeUSD: '1000' }) };
    },
    checkPath: (dice) => dice.pick(checkPaths),
    signQuote: (dice, purse = dice.pick(regulars)) =>
      sign(purse, errands.payChain(dice), '/v1/quote', errands.quoteBody(dice)),
    signCheck: (dice, purse = dice.pick(regulars)) =>
      sign(purse, errands.payChain(dice), errands.checkPath(dice), errands.checkBody(dice)),
    signAny: (dice, purse) => (dice.chance(0.5) ? errands.signQuote(dice, purse) : errands.signCheck(dice, purse)),
  };
  return errands;
}
