import { encodeFunctionData } from 'viem';
import { botListTokenArtifact } from '../../contracts/artifacts/testTokens/BotListToken.ts';
import { deployerListTokenArtifact } from '../../contracts/artifacts/testTokens/DeployerListToken.ts';
import { hiddenMintTokenArtifact } from '../../contracts/artifacts/testTokens/HiddenMintToken.ts';
import { hiddenOwnerTokenArtifact } from '../../contracts/artifacts/testTokens/HiddenOwnerToken.ts';
import { idleListsTokenArtifact } from '../../contracts/artifacts/testTokens/IdleListsToken.ts';
import { inflatingTokenArtifact } from '../../contracts/artifacts/testTokens/InflatingToken.ts';
import { mintableTokenArtifact } from '../../contracts/artifacts/testTokens/MintableToken.ts';
import { openingRegistryTokenArtifact } from '../../contracts/artifacts/testTokens/OpeningRegistryToken.ts';
import { pausableTokenArtifact } from '../../contracts/artifacts/testTokens/PausableToken.ts';
import { registryTokenArtifact } from '../../contracts/artifacts/testTokens/RegistryToken.ts';
import { renouncedTokenArtifact } from '../../contracts/artifacts/testTokens/RenouncedToken.ts';
import { roleTokenArtifact } from '../../contracts/artifacts/testTokens/RoleToken.ts';
import { seizingTokenArtifact } from '../../contracts/artifacts/testTokens/SeizingToken.ts';
import { successionTokenArtifact } from '../../contracts/artifacts/testTokens/SuccessionToken.ts';
import { transferLimitTokenArtifact } from '../../contracts/artifacts/testTokens/TransferLimitToken.ts';
import { vipListTokenArtifact } from '../../contracts/artifacts/testTokens/VipListToken.ts';
import { describeToken, ownPair } from './describeToken.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { frozen, tradable } from './truths.ts';

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

const succession = describeToken(
  'SUCCESSION',
  successionTokenArtifact,
  'Renounced after four owners; the last of them still blocks holders, by a function that accepts every caller.',
  tradable({
    ownerRenounced: true,
    hasBlacklist: true,
    // More former owners than are tried.
    powersHidden: true,
    powers: [{ effect: 'block-holder', by: 'hidden', functionName: 'note', args: ['holder', true] }],
  }),
);

const openingAbi = openingRegistryTokenArtifact.abi;

/** Two tokens of one code: without a pair of their own in the code, they share its hash. */
function openingRegistry(
  symbol: string,
  about: string,
  truth: TokenDefinition['truth'],
  opens: boolean,
): TokenDefinition {
  return {
    symbol,
    about,
    truth,
    pools: [ownPair],
    abi: openingAbi,
    deploy: ({ params, create, call }) => {
      const token = create(openingRegistryTokenArtifact, [params(false)]);
      if (opens) call(token, encodeFunctionData({ abi: openingAbi, functionName: 'openTrading' }));
      return token;
    },
  };
}

/** Tradable today, with few exceptions; what the owner can do to holders tomorrow. */
export const powerTokens: readonly TokenDefinition[] = [
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
    'Trap: paused() reads true and only the team can move it.',
    frozen({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      ownerRenounced: false,
      tradingGate: { getter: 'paused', reads: true, ambiguous: true, shutWhen: true },
    }),
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
      powers: [
        { effect: 'block-holder', by: 'owner', functionName: 'setBots', args: ['holders', true] },
        { effect: 'block-all-sales', by: 'owner', functionName: 'setBots', args: ['pools', true] },
      ],
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
    'INFLATE',
    inflatingTokenArtifact,
    'The owner raises his own balance; totalSupply() does not change.',
    tradable({
      ownerRenounced: false,
      mintable: true,
      powers: [{ effect: 'mint', by: 'owner', functionName: 'reconcile', args: ['amount'] }],
    }),
  ),
  describeToken(
    'IDLELISTS',
    idleListsTokenArtifact,
    'Honest: blacklist() and setMaxTxAmount() write values that no transfer reads.',
    tradable({ ownerRenounced: false, hasBlacklist: false, hasMaxLimit: false }),
  ),
  describeToken(
    'TXLIMIT',
    transferLimitTokenArtifact,
    'The owner may limit every sale to a number of whole tokens; no list of holders exists.',
    tradable({
      ownerRenounced: false,
      hasBlacklist: false,
      powers: [{ effect: 'limit-trades', by: 'owner', functionName: 'setTxLimit', args: [1] }],
    }),
  ),
  describeToken(
    'VIPLIST',
    vipListTokenArtifact,
    'The owner may block holders by manage_VIP(), named like a privilege.',
    tradable({
      ownerRenounced: false,
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'manage_VIP', args: ['holders', true] }],
    }),
  ),
  describeToken(
    'DEPLOYERLIST',
    deployerListTokenArtifact,
    'Ownership is renounced; the deployer, named by events only, may block holders.',
    tradable({
      ownerRenounced: true,
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'review', args: ['holder', true] }],
    }),
  ),
  openingRegistry(
    'UNOPENED',
    'Trap: tradingOpen() reads false. Its owner may block holders, which shows only once trading is open.',
    frozen({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      ownerRenounced: false,
      hasBlacklist: null,
      tradingGate: { getter: 'tradingOpen', reads: false, ambiguous: false },
    }),
    false,
  ),
  openingRegistry(
    'OPENED',
    'The same code with trading open; the owner may block holders.',
    tradable({
      ownerRenounced: false,
      hasBlacklist: true,
      tradingGate: { getter: 'tradingOpen', reads: true, ambiguous: false },
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'updateRegistry', args: ['holder', 1] }],
    }),
    true,
  ),
  describeToken(
    'SEIZE',
    seizingTokenArtifact,
    "The owner may take any holder's balance.",
    tradable({
      ownerRenounced: false,
      powers: [
        { effect: 'seize', by: 'owner', functionName: 'recoverFrom', args: ['holder'] },
        { effect: 'block-all-sales', by: 'owner', functionName: 'recoverFrom', args: ['pool'] },
      ],
    }),
  ),
  {
    ...hiddenOwner,
    deploy: ({ params, create, insider }) => create(hiddenOwnerTokenArtifact, [params(), insider]),
  },
  {
    ...succession,
    deploy: ({ params, create, insider }) => create(successionTokenArtifact, [params(), insider]),
  },
  describeToken(
    'RENOUNCED',
    renouncedTokenArtifact,
    'It had the power to block holders, and no account can use it any more.',
    tradable({ ownerRenounced: true, hasBlacklist: null }),
  ),
];
