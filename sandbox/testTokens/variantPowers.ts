import { encodeFunctionData } from 'viem';
import { clawbackTokenArtifact } from '../../contracts/artifacts/testTokens/ClawbackToken.ts';
import { limitPowerTokenArtifact } from '../../contracts/artifacts/testTokens/LimitPowerToken.ts';
import { listPowerTokenArtifact } from '../../contracts/artifacts/testTokens/ListPowerToken.ts';
import { mintPowerTokenArtifact } from '../../contracts/artifacts/testTokens/MintPowerToken.ts';
import { stopPowerTokenArtifact } from '../../contracts/artifacts/testTokens/StopPowerToken.ts';
import { taxPowerTokenArtifact } from '../../contracts/artifacts/testTokens/TaxPowerToken.ts';
import { ownPair } from './describeToken.ts';
import type { Artifact, GroundTruth, OwnerPower, TokenDefinition } from './testTokenTypes.ts';
import { tradable } from './truths.ts';

const by = { owner: 0, deployer: 1, hidden: 2, role: 3, none: 4, unnamed: 5, operator: 6, coded: 7 } as const;
type By = keyof typeof by;
const ownerRenounced: Record<By, boolean> = {
  owner: false,
  none: false,
  deployer: true,
  hidden: true,
  role: true,
  unnamed: true,
  operator: false,
  coded: false,
};
const isInsider = (who: By) => who === 'hidden' || who === 'operator' || who === 'coded';

/** A token whose power is the given call; none: it is harmless. */
function powered(
  symbol: string,
  about: string,
  { artifact, who, parameter }: { artifact: Artifact; who: By; parameter: number | bigint | boolean },
  power: Omit<OwnerPower, 'by'> | readonly Omit<OwnerPower, 'by'>[] | undefined,
  differs: Partial<GroundTruth> = {},
): TokenDefinition {
  const powers = [power ?? []]
    .flat()
    .map((each) => ({ ...each, by: isInsider(who) ? ('hidden' as const) : ('owner' as const) }));
  const truth = tradable({
    ownerRenounced: ownerRenounced[who],
    mintable: powers.some(({ effect }) => effect === 'mint'),
    hasBlacklist: powers.some(({ effect }) => effect === 'block-holder'),
    powers,
    ...differs,
  });
  return {
    symbol,
    about,
    truth,
    pools: [ownPair],
    abi: artifact.abi,
    deploy: ({ params, create, insider }) => create(artifact, [params(), by[who], insider, parameter]),
  };
}

const listEffect = { reverts: 0, returnsFalse: 1, movesNothing: 2, taxesAll: 3, refusesReceivers: 4 } as const;
const list = (who: By, effect: keyof typeof listEffect = 'reverts') => ({
  artifact: listPowerTokenArtifact,
  who,
  parameter: listEffect[effect],
});
const blocksHolder = { effect: 'block-holder', functionName: 'setStatus', args: ['holder', 1] } as const;
const stop = (who: By, salesOnly: boolean) => ({ artifact: stopPowerTokenArtifact, who, parameter: salesOnly });
const stops = { effect: 'block-all-sales', functionName: 'toggle', args: [] } as const;
const mint = (who: By, cap: bigint) => ({ artifact: mintPowerTokenArtifact, who, parameter: cap });
const mints = { effect: 'mint', functionName: 'mint', args: ['thief', 'amount'] } as const;
const tax = (who: By, cap: number) => ({ artifact: taxPowerTokenArtifact, who, parameter: cap });
const raises = { effect: 'raise-tax', functionName: 'setLevy', args: [9_000] } as const;
const limit = (who: By, floor: number) => ({ artifact: limitPowerTokenArtifact, who, parameter: floor });
const clawback = (who: By, burns: boolean) => ({ artifact: clawbackTokenArtifact, who, parameter: burns });
const seizes = [
  { effect: 'seize', functionName: 'settle', args: ['holder'] },
  { effect: 'block-all-sales', functionName: 'settle', args: ['pool'] },
] as const;

/** A function that no account can use looks like one that an unknown account can use. */
const unexecutable = { powersHidden: true } as const;

/** Two tokens share one code: the storage of the first one disables the power. */
const sharedCode = (symbol: string, about: string, locked: boolean): TokenDefinition => {
  const { abi } = listPowerTokenArtifact;
  const token = powered(symbol, about, list('owner'), locked ? undefined : blocksHolder, locked ? unexecutable : {});
  return {
    ...token,
    deploy: ({ params, create, call, insider }) => {
      const address = create(listPowerTokenArtifact, [params(false), by.owner, insider, listEffect.reverts]);
      if (locked) call(address, encodeFunctionData({ abi, functionName: 'lock' }));
      return address;
    },
  };
};

export const variantPowers: readonly TokenDefinition[] = [
  powered('LOWNER', 'The owner blocks holders by setStatus().', list('owner'), blocksHolder),
  powered('LDEPLOYER', 'Renounced; the deployer still blocks holders.', list('deployer'), blocksHolder),
  powered('LHIDDEN', 'No owner; a wallet in storage blocks holders.', list('hidden'), blocksHolder),
  powered('LROLE', 'A role blocks holders.', list('role'), blocksHolder),
  powered('LNOBODY', 'Harmless: no account may use its list.', list('none'), undefined, unexecutable),
  powered('LUNNAMED', 'Only the code names the deployer, who blocks holders.', list('unnamed'), blocksHolder),
  powered(
    'LCODED',
    'The owner cannot, but a wallet that only the code names blocks holders.',
    list('coded'),
    blocksHolder,
  ),
  powered('LOPERATOR', 'The owner cannot, but a wallet in a mapping blocks holders.', list('operator'), blocksHolder, {
    powersHidden: true,
  }),
  powered('LFALSE', 'For blocked holders transferFrom() returns false.', list('owner', 'returnsFalse'), blocksHolder),
  powered(
    'LSILENT',
    'What blocked holders send does not move, and true is returned.',
    list('owner', 'movesNothing'),
    blocksHolder,
  ),
  powered(
    'LTAX',
    'Listed holders are taxed at 99 %.',
    list('owner', 'taxesAll'),
    { ...blocksHolder, effect: 'raise-tax' },
    { hasBlacklist: null },
  ),
  powered(
    'LPOOL',
    'Listed addresses cannot receive: listing the pool ends all sales.',
    list('owner', 'refusesReceivers'),
    { ...blocksHolder, effect: 'block-all-sales', args: ['pool', 1] },
    { hasBlacklist: null },
  ),
  sharedCode('LLOCKED', 'Harmless: its list was given up, in storage; the code has it still.', true),
  sharedCode('LUNLOCKED', 'The same code, whose owner blocks holders.', false),
  powered('SOWNER', 'The owner stops all transfers by toggle().', stop('owner', false), stops),
  powered('SSALES', 'The owner stops sales by toggle().', stop('owner', true), stops),
  powered('SROLE', 'A role stops sales.', stop('role', true), stops),
  powered('SHIDDEN', 'A wallet in storage stops sales.', stop('hidden', true), stops),
  powered('MDEPLOYER', 'Renounced; the deployer still mints.', mint('deployer', 10_000_000n), mints),
  powered('MROLE', 'A role mints.', mint('role', 10_000_000n), mints),
  powered('MCAPPED', 'Harmless: mint() is at its cap.', mint('owner', 1_000_000n), undefined, unexecutable),
  powered('TOWNER', 'The owner sets the sale tax freely.', tax('owner', 10_000), raises),
  powered('TROLE', 'A role sets the sale tax freely.', tax('role', 10_000), raises),
  powered('TCAPPED', 'Harmless: the sale tax is capped at 3 %.', tax('owner', 300), undefined),
  powered('XLIMIT', 'The owner limits sales to any size.', limit('owner', 0), {
    effect: 'limit-trades',
    functionName: 'setLimits',
    args: [1, 0],
  }),
  powered('XFLOOR', 'Harmless: sales cannot be limited below 5 % of the supply.', limit('owner', 50_000), undefined),
  powered('CTAKE', "The owner takes a holder's balance.", clawback('owner', false), seizes),
  powered('CBURN', "The owner burns a holder's balance.", clawback('owner', true), seizes),
  powered('CHIDDEN', "A wallet in storage takes a holder's balance.", clawback('hidden', false), seizes),
];
