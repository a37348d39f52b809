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
  'owner() returns zero, but a second wallet can still mint and block all sales.',
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
  'Renounced after four owners. The last of them can still block holders; calls by other accounts succeed without effect.',
  tradable({
    ownerRenounced: true,
    hasBlacklist: true,
    // The check tries the first three former owners (`limits.formerOwners`); this one is the fourth.
    powersHidden: true,
    powers: [{ effect: 'block-holder', by: 'hidden', functionName: 'note', args: ['holder', true] }],
  }),
);

const openingAbi = openingRegistryTokenArtifact.abi;

/** Two tokens with the same code hash: their pair is not in the code. */
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

/** Tokens whose owner, or another account, has a power over holders. Most of them can be traded now. */
export const powerTokens: readonly TokenDefinition[] = [
  describeToken(
    'PAUSABLE',
    pausableTokenArtifact,
    'The owner can stop all transfers. They are not stopped now.',
    tradable({
      ownerRenounced: false,
      powers: [{ effect: 'block-all-sales', by: 'owner', functionName: 'pause', args: [] }],
    }),
    { args: [false] },
  ),
  describeToken(
    'PAUSED',
    pausableTokenArtifact,
    'Trap: paused() returns true, and only the team can transfer.',
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
    'The owner can mint.',
    tradable({
      ownerRenounced: false,
      mintable: true,
      powers: [{ effect: 'mint', by: 'owner', functionName: 'mint', args: ['thief', 'amount'] }],
    }),
  ),
  describeToken(
    'ROLES',
    roleTokenArtifact,
    'Has no owner() but two roles: one can mint, the other can stop all transfers.',
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
    'The owner can mint by a function with an unsuspicious name.',
    tradable({
      ownerRenounced: false,
      mintable: true,
      powers: [{ effect: 'mint', by: 'owner', functionName: 'syncEpoch', args: ['amount'] }],
    }),
  ),
  describeToken(
    'BOTS',
    botListTokenArtifact,
    'The owner can block holders by the common function setBots().',
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
    'The owner can block holders by a function whose name is on no list of suspicious names.',
    tradable({
      ownerRenounced: false,
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'updateRegistry', args: ['holder', 1] }],
    }),
  ),
  describeToken(
    'INFLATE',
    inflatingTokenArtifact,
    'The owner can raise its own balance; totalSupply() does not change.',
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
    'The owner can limit every sale to a number of whole tokens. It has no list of holders.',
    tradable({
      ownerRenounced: false,
      hasBlacklist: false,
      powers: [{ effect: 'limit-trades', by: 'owner', functionName: 'setTxLimit', args: [1] }],
    }),
  ),
  describeToken(
    'VIPLIST',
    vipListTokenArtifact,
    'The owner can block holders by manage_VIP(), whose name suggests a privilege.',
    tradable({
      ownerRenounced: false,
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'manage_VIP', args: ['holders', true] }],
    }),
  ),
  describeToken(
    'DEPLOYERLIST',
    deployerListTokenArtifact,
    'Ownership is renounced. The deployer, whose address is in the code and in events, can block holders.',
    tradable({
      ownerRenounced: true,
      hasBlacklist: true,
      powers: [{ effect: 'block-holder', by: 'owner', functionName: 'review', args: ['holder', true] }],
    }),
  ),
  openingRegistry(
    'UNOPENED',
    'Trap: tradingOpen() returns false. The owner can block holders, which no trade can show before trading opens.',
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
    'The same code as UNOPENED with trading open; the owner can block holders.',
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
    "The owner can take any holder's balance.",
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
    'Ownership is renounced. The owner could block holders; no account can any more.',
    tradable({ ownerRenounced: true, hasBlacklist: null }),
  ),
];
