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
const isInsider = (caller: By) => caller === 'hidden' || caller === 'operator' || caller === 'coded';

/** A token with the given powers, which `caller` can use; honest without any. */
function powered(
  symbol: string,
  about: string,
  { artifact, caller, parameter }: { artifact: Artifact; caller: By; parameter: number | bigint | boolean },
  power: Omit<OwnerPower, 'by'> | readonly Omit<OwnerPower, 'by'>[] | undefined,
  differs: Partial<GroundTruth> = {},
): TokenDefinition {
  const powers = [power ?? []]
    .flat()
    .map((each) => ({ ...each, by: isInsider(caller) ? ('hidden' as const) : ('owner' as const) }));
  const truth = tradable({
    ownerRenounced: ownerRenounced[caller],
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
    deploy: ({ params, create, insider }) => create(artifact, [params(), by[caller], insider, parameter]),
  };
}

const listEffect = { reverts: 0, returnsFalse: 1, movesNothing: 2, taxesAll: 3, refusesReceivers: 4 } as const;
const list = (caller: By, effect: keyof typeof listEffect = 'reverts') => ({
  artifact: listPowerTokenArtifact,
  caller,
  parameter: listEffect[effect],
});
const blocksHolder = { effect: 'block-holder', functionName: 'setStatus', args: ['holder', 1] } as const;
const stop = (caller: By, salesOnly: boolean) => ({ artifact: stopPowerTokenArtifact, caller, parameter: salesOnly });
const stops = { effect: 'block-all-sales', functionName: 'toggle', args: [] } as const;
const mint = (caller: By, cap: bigint) => ({ artifact: mintPowerTokenArtifact, caller, parameter: cap });
const mints = { effect: 'mint', functionName: 'mint', args: ['thief', 'amount'] } as const;
const tax = (caller: By, cap: number) => ({ artifact: taxPowerTokenArtifact, caller, parameter: cap });
const raises = { effect: 'raise-tax', functionName: 'setLevy', args: [9_000] } as const;
const limit = (caller: By, floor: number) => ({ artifact: limitPowerTokenArtifact, caller, parameter: floor });
const clawback = (caller: By, burns: boolean) => ({ artifact: clawbackTokenArtifact, caller, parameter: burns });
const seizes = [
  { effect: 'seize', functionName: 'settle', args: ['holder'] },
  { effect: 'block-all-sales', functionName: 'settle', args: ['pool'] },
] as const;

/** The check cannot distinguish a function that no account can use from one that an unknown account can use. */
const unexecutable = { powersHidden: true } as const;

/** A token that shares its code with another one. `locked`: its storage disables the power. */
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

/** Variants of powers over holders, by the account that has the power. */
export const variantPowers: readonly TokenDefinition[] = [
  powered('LOWNER', 'The owner can block holders by setStatus().', list('owner'), blocksHolder),
  powered('LDEPLOYER', 'Ownership is renounced; the deployer can still block holders.', list('deployer'), blocksHolder),
  powered('LHIDDEN', 'owner() returns zero; a wallet in storage can block holders.', list('hidden'), blocksHolder),
  powered('LROLE', 'A role can block holders.', list('role'), blocksHolder),
  powered('LNOBODY', 'Honest: no account can use its list.', list('none'), undefined, unexecutable),
  powered(
    'LUNNAMED',
    'The deployer, whose address is only in the code, can block holders.',
    list('unnamed'),
    blocksHolder,
  ),
  powered(
    'LCODED',
    'The owner cannot block holders, but a wallet whose address is only in the code can.',
    list('coded'),
    blocksHolder,
  ),
  powered(
    'LOPERATOR',
    'The owner cannot block holders, but a wallet in a mapping can.',
    list('operator'),
    blocksHolder,
    {
      powersHidden: true,
    },
  ),
  powered('LFALSE', 'transferFrom() returns false for blocked holders.', list('owner', 'returnsFalse'), blocksHolder),
  powered(
    'LSILENT',
    'Transfers by blocked holders return true and move nothing.',
    list('owner', 'movesNothing'),
    blocksHolder,
  ),
  powered(
    'LTAX',
    'Listed holders pay a tax of 99 %.',
    list('owner', 'taxesAll'),
    { ...blocksHolder, effect: 'raise-tax' },
    { hasBlacklist: null },
  ),
  powered(
    'LPOOL',
    'Listed addresses cannot receive, so listing the pool blocks all sales.',
    list('owner', 'refusesReceivers'),
    { ...blocksHolder, effect: 'block-all-sales', args: ['pool', 1] },
    { hasBlacklist: null },
  ),
  sharedCode('LLOCKED', 'Honest: its code contains a list, which its storage disables.', true),
  sharedCode('LUNLOCKED', 'The same code as LLOCKED; the owner can block holders.', false),
  powered('SOWNER', 'The owner can stop all transfers by toggle().', stop('owner', false), stops),
  powered('SSALES', 'The owner can stop sales by toggle().', stop('owner', true), stops),
  powered('SROLE', 'A role can stop sales.', stop('role', true), stops),
  powered('SHIDDEN', 'A wallet in storage can stop sales.', stop('hidden', true), stops),
  powered('MDEPLOYER', 'Ownership is renounced; the deployer can still mint.', mint('deployer', 10_000_000n), mints),
  powered('MROLE', 'A role can mint.', mint('role', 10_000_000n), mints),
  powered(
    'MCAPPED',
    'Honest: the supply has reached the cap of mint().',
    mint('owner', 1_000_000n),
    undefined,
    unexecutable,
  ),
  powered('TOWNER', 'The owner can set any sale tax.', tax('owner', 10_000), raises),
  powered('TROLE', 'A role can set any sale tax.', tax('role', 10_000), raises),
  powered('TCAPPED', 'Honest: the sale tax is limited to 3 %.', tax('owner', 300), undefined),
  powered('XLIMIT', 'The owner can limit sales to any size.', limit('owner', 0), {
    effect: 'limit-trades',
    functionName: 'setLimits',
    args: [1, 0],
  }),
  powered(
    'XFLOOR',
    'Honest: the owner cannot limit sales to less than 5 % of the supply.',
    limit('owner', 50_000),
    undefined,
  ),
  powered('CTAKE', "The owner can take a holder's balance.", clawback('owner', false), seizes),
  powered('CBURN', "The owner can burn a holder's balance.", clawback('owner', true), seizes),
  powered('CHIDDEN', "A wallet in storage can take a holder's balance.", clawback('hidden', false), seizes),
];
