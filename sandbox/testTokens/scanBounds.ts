import { backdoorTokenArtifact } from '../../contracts/artifacts/testTokens/BackdoorToken.ts';
import { bytesListTokenArtifact } from '../../contracts/artifacts/testTokens/BytesListToken.ts';
import { freeSpenderTokenArtifact } from '../../contracts/artifacts/testTokens/FreeSpenderToken.ts';
import { heavyListTokenArtifact } from '../../contracts/artifacts/testTokens/HeavyListToken.ts';
import { lateListTokenArtifact } from '../../contracts/artifacts/testTokens/LateListToken.ts';
import { numberListTokenArtifact } from '../../contracts/artifacts/testTokens/NumberListToken.ts';
import { quietListTokenArtifact } from '../../contracts/artifacts/testTokens/QuietListToken.ts';
import { shapeListTokenArtifact } from '../../contracts/artifacts/testTokens/ShapeListToken.ts';
import { tupleTokenArtifact } from '../../contracts/artifacts/testTokens/TupleToken.ts';
import { ownPair } from './describeToken.ts';
import type { Artifact, GroundTruth, OwnerPower, TokenDefinition } from './testTokenTypes.ts';
import { tradable } from './truths.ts';

const places = { owner: 0, storage: 1, code: 2, mapping: 3 } as const;

/** See `Placement` in ScanBounds.sol. */
interface Placement {
  place: keyof typeof places;
  decoys?: number;
  noisy?: boolean;
}

/** A token whose functions accept every caller, and have an effect for one account only. */
function quiet(
  symbol: string,
  about: string,
  artifact: Artifact,
  { place, decoys = 0, noisy = true }: Placement,
  call: Omit<OwnerPower, 'by'>,
  differs: Partial<GroundTruth> = {},
): TokenDefinition {
  const isOwner = place === 'owner';
  const truth = tradable({
    ownerRenounced: !isOwner,
    hasBlacklist: call.effect === 'block-holder',
    powers: [{ ...call, by: isOwner ? 'owner' : 'hidden' }],
    ...differs,
  });
  const placement = { place: places[place], decoys, noisy };
  return {
    symbol,
    about,
    truth,
    pools: [ownPair],
    abi: artifact.abi,
    deploy: ({ params, create, insider }) => create(artifact, [params(), placement, insider]),
  };
}

/** The account is outside the bounds of a scan, so the check must not exclude the power. */
const beyond = { powersHidden: true } as const;
const lists = { effect: 'block-holder', functionName: 'setStatus', args: ['holder', 1] } as const;
const listed = (symbol: string, about: string, placement: Placement, differs: Partial<GroundTruth> = {}) =>
  quiet(symbol, about, quietListTokenArtifact, placement, lists, differs);

/** Powers on both sides of each bound of a scan of owner functions. */
export const scanBounds: readonly TokenDefinition[] = [
  listed('QSTORE5', 'The fifth account in storage can block holders.', { place: 'storage', decoys: 4 }),
  listed('QSTORE6', 'The sixth account in storage can block holders.', { place: 'storage', decoys: 5 }, beyond),
  listed('QCODE1', 'An account in the code can block holders.', { place: 'code' }),
  // The first account in the code is the deployer.
  listed('QCODE8', 'The eighth account in the code can block holders.', { place: 'code', decoys: 6 }),
  listed('QCODE9', 'The ninth account in the code can block holders.', { place: 'code', decoys: 7 }, beyond),
  listed(
    'QMAPPED',
    'An account in a mapping can block holders. Calls by other accounts succeed without effect.',
    { place: 'mapping', noisy: false },
    beyond,
  ),
  quiet(
    'QLATE',
    'The owner can block holders with effect an hour later.',
    lateListTokenArtifact,
    { place: 'owner' },
    {
      ...lists,
      args: ['holder'],
      beginsAfter: 3_600,
    },
  ),
  quiet('QHEAVY', 'Blocking holders takes 6 million gas.', heavyListTokenArtifact, { place: 'owner' }, lists),
  quiet(
    'QNUMBER',
    'The owner can block a holder, given as a number.',
    numberListTokenArtifact,
    { place: 'owner' },
    {
      ...lists,
      functionName: 'record',
      args: ['holderNumber'],
    },
  ),
  quiet(
    'QBYTES',
    'An account in a mapping can block a holder, given as encoded bytes.',
    bytesListTokenArtifact,
    { place: 'mapping' },
    { ...lists, functionName: 'record', args: ['holderBytes'] },
    beyond,
  ),
  quiet(
    'QSHAPE',
    'An account in a mapping can block holders, given as a list of tuples.',
    shapeListTokenArtifact,
    { place: 'mapping' },
    { ...lists, functionName: 'setEntries', args: ['holderEntries'] },
    beyond,
  ),
  quiet(
    'QSHAPEOWN',
    'The owner can block holders, given as a list of tuples.',
    shapeListTokenArtifact,
    { place: 'owner' },
    { ...lists, functionName: 'setEntries', args: ['holderEntries'] },
  ),
  quiet(
    'QTUPLE',
    'The owner can block a holder and set taxes. Both functions take a tuple.',
    tupleTokenArtifact,
    { place: 'owner' },
    { ...lists, functionName: 'list', args: ['holderListing'] },
    {
      powers: [
        { effect: 'block-holder', by: 'owner', functionName: 'list', args: ['holderListing'] },
        { effect: 'raise-tax', by: 'owner', functionName: 'setFees', args: ['highFees'] },
      ],
    },
  ),
  quiet(
    'QAPPROVE',
    'An approval by the owner blocks the approved account.',
    backdoorTokenArtifact,
    { place: 'owner' },
    {
      ...lists,
      functionName: 'approve',
    },
  ),
  quiet(
    'QSPEND',
    "The owner can spend holders' tokens without an allowance.",
    freeSpenderTokenArtifact,
    { place: 'owner' },
    { effect: 'seize', functionName: 'transferFrom', args: ['holder', 'thief', 'all'] },
  ),
];
