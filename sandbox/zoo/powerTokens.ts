import { botListTokenArtifact } from '../../contracts/artifacts/zoo/BotListToken.ts';
import { hiddenMintTokenArtifact } from '../../contracts/artifacts/zoo/HiddenMintToken.ts';
import { hiddenOwnerTokenArtifact } from '../../contracts/artifacts/zoo/HiddenOwnerToken.ts';
import { mintableTokenArtifact } from '../../contracts/artifacts/zoo/MintableToken.ts';
import { pausableTokenArtifact } from '../../contracts/artifacts/zoo/PausableToken.ts';
import { registryTokenArtifact } from '../../contracts/artifacts/zoo/RegistryToken.ts';
import { renouncedTokenArtifact } from '../../contracts/artifacts/zoo/RenouncedToken.ts';
import { roleTokenArtifact } from '../../contracts/artifacts/zoo/RoleToken.ts';
import { seizingTokenArtifact } from '../../contracts/artifacts/zoo/SeizingToken.ts';
import { describeToken } from './describeToken.ts';
import { frozen, tradable } from './truths.ts';
import type { ZooToken } from './zooTypes.ts';

const hiddenOwner = describeToken(
  'HIDDEN',
  hiddenOwnerTokenArtifact,
  'Renounced for all to see; a second wallet still mints and still shuts the exit.',
  tradable({
    ownerRenounced: true,
    mintable: true,
    powers: [
      { effect: 'block-all-sales', by: 'hidden', functionName: 'tidy', args: [true] },
      { effect: 'mint', by: 'hidden', functionName: 'rebalance', args: ['amount'] },
    ],
  }),
);

/** Tradable today, all but one; what the owner can do to holders tomorrow. */
export const powerTokens: readonly ZooToken[] = [
  describeToken(
    'PAUSABLE',
    pausableTokenArtifact,
    'The owner may stop every transfer; today they pass.',
    tradable({
      ownerRenounced: false,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'pause', args: [] }],
    }),
    { args: [false] },
  ),
  describeToken(
    'PAUSED',
    pausableTokenArtifact,
    'Paused: nobody but the team moves it. paused() is no trading gate by the closed list.',
    frozen({ ownerRenounced: false }),
    { args: [true] },
  ),
  describeToken(
    'MINT',
    mintableTokenArtifact,
    'The owner may mint.',
    tradable({
      ownerRenounced: false,
      mintable: true,
      powers: [{ effect: 'mint', by: 'owner', functionName: 'mint', args: ['thief', 'amount'] }],
    }),
  ),
  describeToken(
    'ROLES',
    roleTokenArtifact,
    'No owner to be seen: roles, one of which mints and one of which stops every transfer.',
    tradable({
      mintable: true,
      powers: [
        { effect: 'mint', by: 'owner', functionName: 'issue', args: ['thief', 'amount'] },
        { effect: 'block-all-sales', by: 'owner', functionName: 'halt', args: [] },
      ],
    }),
  ),
  describeToken(
    'HIDDENMINT',
    hiddenMintTokenArtifact,
    'The owner mints by a function that sounds like housekeeping.',
    tradable({
      ownerRenounced: false,
      mintable: true,
      powers: [{ effect: 'mint', by: 'owner', functionName: 'syncEpoch', args: ['amount'] }],
    }),
  ),
  describeToken(
    'BOTS',
    botListTokenArtifact,
    'The owner may block holders, by the usual setBots().',
    tradable({
      ownerRenounced: false,
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'setBots', args: ['holders', true] }],
    }),
  ),
  describeToken(
    'REGISTRY',
    registryTokenArtifact,
    'The owner may block holders, by a name that no list of suspicious words contains.',
    tradable({
      ownerRenounced: false,
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'updateRegistry', args: ['holder', 1] }],
    }),
  ),
  describeToken(
    'SEIZE',
    seizingTokenArtifact,
    "The owner may take any holder's balance.",
    tradable({
      ownerRenounced: false,
      powers: [{ effect: 'seize', by: 'owner', functionName: 'recoverFrom', args: ['holder'] }],
    }),
  ),
  {
    ...hiddenOwner,
    deploy: ({ birth, create, backstage }) => create(hiddenOwnerTokenArtifact, [birth(), backstage]),
  },
  describeToken(
    'RENOUNCED',
    renouncedTokenArtifact,
    'It had the power to block holders, and nobody can use it any more.',
    tradable({ ownerRenounced: true, hasBlacklist: null }),
  ),
];
