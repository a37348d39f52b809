import { decoyTokenArtifact } from '../../contracts/artifacts/testTokens/DecoyToken.ts';
import { distantListTokenArtifact } from '../../contracts/artifacts/testTokens/DistantListToken.ts';
import { extendedTokenArtifact } from '../../contracts/artifacts/testTokens/ExtendedToken.ts';
import { fallbackListTokenArtifact } from '../../contracts/artifacts/testTokens/FallbackListToken.ts';
import { hourTokenArtifact } from '../../contracts/artifacts/testTokens/HourToken.ts';
import { lensLiarTokenArtifact } from '../../contracts/artifacts/testTokens/LensLiarToken.ts';
import { listExtensionArtifact } from '../../contracts/artifacts/testTokens/ListExtension.ts';
import { maskedListTokenArtifact } from '../../contracts/artifacts/testTokens/MaskedListToken.ts';
import { numbersTokenArtifact } from '../../contracts/artifacts/testTokens/NumbersToken.ts';
import { oddTaxTokenArtifact } from '../../contracts/artifacts/testTokens/OddTaxToken.ts';
import { preapprovedTokenArtifact } from '../../contracts/artifacts/testTokens/PreapprovedToken.ts';
import { rebaseTokenArtifact } from '../../contracts/artifacts/testTokens/RebaseToken.ts';
import { refillTokenArtifact } from '../../contracts/artifacts/testTokens/RefillToken.ts';
import { signedListTokenArtifact } from '../../contracts/artifacts/testTokens/SignedListToken.ts';
import { simulationOnlyTokenArtifact } from '../../contracts/artifacts/testTokens/SimulationOnlyToken.ts';
import { storedRouterTokenArtifact } from '../../contracts/artifacts/testTokens/StoredRouterToken.ts';
import { switchedHookTokenArtifact } from '../../contracts/artifacts/testTokens/SwitchedHookToken.ts';
import { treasuryTokenArtifact } from '../../contracts/artifacts/testTokens/TreasuryToken.ts';
import { twoStepListTokenArtifact } from '../../contracts/artifacts/testTokens/TwoStepListToken.ts';
import { describeToken, ownPair } from './describeToken.ts';
import type { Artifact, GroundTruth, TokenDefinition, TokenDeployer } from './testTokenTypes.ts';
import { saleBlocked, tradable } from './truths.ts';

const signs = {
  gasPrice: 0,
  balance: 1,
  randao: 2,
  routerCode: 3,
  blockHash: 4,
  gasLimit: 5,
  usualTip: 6,
  copiedRouter: 7,
} as const;
const taxRules = { highGasPrice: 0, thirdSale: 1 } as const;

/** A trap that allows sales only if a sign of simulation is present. */
const simulationTrap = (symbol: string, about: string, sign: keyof typeof signs) =>
  describeToken(symbol, simulationOnlyTokenArtifact, about, saleBlocked(), { args: [signs[sign]] });

/** An `OwnedToken` or a `PooledToken`. `argsOf` returns the constructor's arguments after `TokenParams`. */
const owned = (
  symbol: string,
  about: string,
  artifact: Artifact,
  differs: Partial<GroundTruth>,
  argsOf: (deployer: TokenDeployer) => readonly unknown[] = () => [],
): TokenDefinition => ({
  symbol,
  about,
  truth: tradable(differs),
  pools: [ownPair],
  abi: artifact.abi,
  deploy: (deployer) => deployer.create(artifact, [deployer.params(), ...argsOf(deployer)]),
});

/** Tokens that evade the simulation or the scan of owner powers, and honest tokens that resemble them. */
export const evasions: readonly TokenDefinition[] = [
  simulationTrap('ETIP', 'Trap: a sale works only at a gas price with a known tip.', 'gasPrice'),
  simulationTrap('EMONEY', 'Trap: a sale works only for wallets with 5 to 20 ether.', 'balance'),
  simulationTrap('ERANDAO', 'Trap: a sale works only if prevrandao equals that of the purchase.', 'randao'),
  simulationTrap('ESHORT', 'Trap: a sale works only through a router with short code.', 'routerCode'),
  simulationTrap('EHASH', 'Trap: a sale works only if the hash of the previous block is unknown.', 'blockHash'),
  simulationTrap('EGASLIMIT', "Trap: a sale works only in blocks with another gas limit than the chain's.", 'gasLimit'),
  simulationTrap('ETIPBAND', 'Trap: a sale works only with the tips of simulations, which were known.', 'usualTip'),
  simulationTrap(
    'ECOPY',
    'Trap: a sale works only if there is code at the address of the copied router.',
    'copiedRouter',
  ),
  owned(
    'EFALLBACK',
    'The fallback lets the owner block holders. Its selector is not in the code.',
    fallbackListTokenArtifact,
    {
      ownerRenounced: false,
      hasBlacklist: true,
      powersHidden: true,
    },
  ),
  owned(
    'EMASKED',
    'The fallback lets the owner block holders. It changes the selector before it compares it.',
    maskedListTokenArtifact,
    { ownerRenounced: false, hasBlacklist: true, powersHidden: true },
  ),
  {
    ...owned('EEXTEND', 'The owner can block holders by a function of another contract.', extendedTokenArtifact, {
      ownerRenounced: false,
      hasBlacklist: true,
      powersHidden: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'setStatus', args: ['holder'] }],
    }),
    abi: listExtensionArtifact.abi,
    deploy: ({ params, create }) => create(extendedTokenArtifact, [params(), create(listExtensionArtifact)]),
  },
  owned(
    'ESTORED',
    'Honest: a tax of 4 % on trades, which the token sells through a router in its storage.',
    storedRouterTokenArtifact,
    { buyTax: 0.04, sellTax: 0.04 },
    ({ router }) => [router],
  ),
  owned('ESIGNED', 'Anyone can block holders with a signature of the owner.', signedListTokenArtifact, {
    ownerRenounced: false,
    hasBlacklist: true,
    powersHidden: true,
  }),
  owned('EHOOK', 'The owner can choose a contract that decides about every transfer.', switchedHookTokenArtifact, {
    ownerRenounced: false,
    hasBlacklist: true,
    powersHidden: true,
    asksContract: true,
  }),
  owned(
    'ETREASURY',
    'The owner can raise the balance of a treasury in storage; totalSupply() does not change.',
    treasuryTokenArtifact,
    {
      ownerRenounced: false,
      mintable: true,
      powers: [{ effect: 'mint', by: 'owner', functionName: 'reward', args: ['amount'] }],
    },
    ({ insider }) => [insider],
  ),
  owned(
    'EDECOY',
    'The owner can raise its own balance. The balance of an account in storage always exceeds the supply.',
    decoyTokenArtifact,
    {
      ownerRenounced: false,
      mintable: true,
      powers: [{ effect: 'mint', by: 'owner', functionName: 'reward', args: ['amount'] }],
    },
    ({ insider }) => [insider],
  ),
  owned('EREFILL', 'The owner can set its own balance to the supply.', refillTokenArtifact, {
    ownerRenounced: false,
    mintable: true,
    powers: [{ effect: 'mint', by: 'owner', functionName: 'refill', args: [] }],
  }),
  owned('EDISTANT', 'The owner can block holders with effect 40 days later.', distantListTokenArtifact, {
    ownerRenounced: false,
    hasBlacklist: true,
    powers: [
      { effect: 'block-holder', by: 'owner', functionName: 'setStatus', args: ['holder'], beginsAfter: 41 * 86_400 },
    ],
  }),
  owned(
    'ENUMBERS',
    'Honest: its code and storage contain amounts that look like addresses.',
    numbersTokenArtifact,
    { ownerRenounced: false },
    () => [42n * 10n ** 31n],
  ),
  owned(
    'EROUTER',
    'Honest: the router can spend without an approval.',
    preapprovedTokenArtifact,
    { ownerRenounced: false },
    ({ router }) => [router],
  ),
  owned(
    'ESPENDER',
    "A wallet in storage can spend holders' tokens without an approval.",
    preapprovedTokenArtifact,
    {
      ownerRenounced: false,
      powers: [{ effect: 'seize', by: 'hidden', functionName: 'transferFrom', args: ['holder', 'thief', 'all'] }],
    },
    ({ insider }) => [insider],
  ),
  owned('EREBASE', 'The owner can set the supply, which scales every balance.', rebaseTokenArtifact, {
    ownerRenounced: false,
    mintable: true,
    powers: [
      { effect: 'seize', by: 'owner', functionName: 'rebase', args: [1] },
      { effect: 'mint', by: 'owner', functionName: 'rebase', args: [4e24] },
      // The reserve exceeds the 112 bits of a pair.
      { effect: 'block-all-sales', by: 'owner', functionName: 'rebase', args: [1e40] },
    ],
  }),
  describeToken(
    'EGASTAX',
    oddTaxTokenArtifact,
    'A tax of 50 % on sales with a gas price above 5 gwei.',
    tradable({ highGasPriceTax: 0.5 }),
    { args: [taxRules.highGasPrice] },
  ),
  describeToken(
    'ETHIRD',
    oddTaxTokenArtifact,
    "A tax of 40 % from a wallet's third sale on.",
    tradable({ laterSalesTaxed: true }),
    {
      args: [taxRules.thirdSale],
    },
  ),
  owned('ELIAR', 'balanceOf() returns zero to unknown contracts.', lensLiarTokenArtifact, {}, ({ router }) => [
    router,
    false,
  ]),
  owned(
    'EBOASTER',
    'balanceOf() returns the supply to unknown contracts.',
    lensLiarTokenArtifact,
    { liesToContracts: true },
    ({ router }) => [router, true],
  ),
  describeToken(
    'EHOUR',
    hourTokenArtifact,
    'A buyer can sell only within an hour of the purchase.',
    tradable({ canSellAfterOneDay: false, receiverCanSell: false }),
  ),
  owned('ETWOSTEP', 'The owner can make itself an operator, and then block holders.', twoStepListTokenArtifact, {
    ownerRenounced: false,
    hasBlacklist: true,
    powersHidden: true,
  }),
];
