import { encodeFunctionData } from 'viem';
import { b20, sendB20 } from '../../../sandbox/b20/installB20.ts';
import { makerAddress } from '../../../sandbox/index.ts';
import { accounts, idOf } from './b20World.ts';
import {
  adminProof,
  alwaysBlock,
  type B20State,
  blockIn,
  cap,
  closed,
  grant,
  inTurn,
  list,
  mintAs,
  pause,
  renounce,
  seize,
  sender,
} from './stateSteps.ts';

/** Pauses, roles, cap and multiplier. */
export const powerStates: readonly B20State[] = [
  {
    symbol: 'PAUSED',
    about: 'TRANSFER is paused',
    setUp: inTurn(grant('PAUSE_ROLE', 'pauser'), pause(0), renounce),
    expected: {
      ...closed,
      outcome: 'purchase-blocked',
      tradingEnabled: false,
      triggers: ['TRADING_DISABLED'],
      reason: /isPaused\(TRANSFER\) returns true/,
    },
  },
  {
    symbol: 'MINTOFF',
    about: 'MINT is paused, a minter, no account can unpause',
    setUp: inTurn(grant('MINT_ROLE', 'minter'), grant('PAUSE_ROLE', 'pauser'), pause(1), renounce),
    expected: { ...closed, reason: /Paused: MINT\./ },
  },
  {
    symbol: 'MINTLATER',
    about: 'MINT is paused, a minter, and an account that can unpause',
    setUp: inTurn(
      grant('MINT_ROLE', 'minter'),
      grant('PAUSE_ROLE', 'pauser'),
      grant('UNPAUSE_ROLE', 'unpauser'),
      pause(1),
      renounce,
    ),
    expected: { ...closed, isMintable: true },
    prove: async (world, token) => {
      await world.act('unpauser', token, 'unpause', [[1]]);
      return mintAs('minter')(world, token);
    },
  },
  {
    symbol: 'SEIZEOFF',
    about: 'SEIZE and BURN are paused for good, with holders of both roles',
    setUp: inTurn(
      grant('SEIZE_ROLE', 'seizer'),
      grant('BURN_BLOCKED_ROLE', 'seizer'),
      grant('PAUSE_ROLE', 'pauser'),
      list('SEIZE_EXEMPT_POLICY', 'blocklist'),
      pause(2, 3),
      renounce,
    ),
    expected: { ...closed, reason: /Paused: BURN, SEIZE\./ },
  },
  {
    symbol: 'SEIZABLE',
    about: 'a seizer, and a list of holders who can be seized',
    setUp: inTurn(grant('SEIZE_ROLE', 'seizer'), list('SEIZE_EXEMPT_POLICY', 'blocklist'), renounce),
    expected: { ...closed, seize: true, reason: /has SEIZE_ROLE, which takes the balance of a holder/ },
    prove: async (world, token, buyer) => {
      await blockIn('SEIZE_EXEMPT_POLICY')(world, token, buyer);
      return { seized: await world.can(accounts.seizer, token.address, seize(buyer)) };
    },
  },
  {
    symbol: 'BURNABLE',
    about: 'blocked holders can be burnt',
    setUp: inTurn(grant('BURN_BLOCKED_ROLE', 'seizer'), list(sender, 'blocklist'), renounce),
    expected: { ...closed, hasBlacklist: true, seize: true, reason: /burns the balance of a blocked holder/ },
    prove: async (world, token, buyer) => {
      const { blocked } = await blockIn(sender)(world, token, buyer);
      const data = encodeFunctionData({ abi: b20.abi, functionName: 'burnBlocked', args: [buyer, 1n] });
      return { blocked, seized: await world.can(accounts.seizer, token.address, data) };
    },
  },
  {
    symbol: 'CAPPED',
    about: 'a minter, the supply is at its cap, no admin and no burner',
    setUp: inTurn(grant('MINT_ROLE', 'minter'), cap, renounce),
    expected: { ...closed, reason: /supplyCap\(\) is 1(0){30}, totalSupply\(\) is 1(0){30}/ },
  },
  {
    symbol: 'CAPRAISE',
    about: 'a minter, the supply is at its cap, and an admin who can raise it',
    setUp: inTurn(grant('MINT_ROLE', 'minter'), cap),
    expected: { hasBlacklist: true, isMintable: true, seize: true, renounced: false, outcome: 'tradable' },
    prove: async (world, token, buyer) => {
      await world.act('admin', token, 'updateSupplyCap', [2n * 10n ** 30n]);
      const { minted } = await mintAs('minter')(world, token);
      return { ...(await adminProof(world, token, buyer)), minted: minted ?? false };
    },
  },
  {
    symbol: 'CAPBURN',
    about: 'a minter who can also burn, the supply is at its cap, no admin',
    setUp: inTurn(grant('MINT_ROLE', 'burner'), grant('BURN_ROLE', 'burner'), cap, renounce),
    expected: { ...closed, isMintable: true },
    prove: async (world, token) => {
      const give = encodeFunctionData({ abi: b20.abi, functionName: 'transfer', args: [accounts.burner, 5n] });
      await sendB20(world.node, { from: makerAddress, to: token.address, data: give });
      await world.act('burner', token, 'burn', [5n]);
      return mintAs('burner')(world, token);
    },
  },
  {
    symbol: 'MINTER',
    about: 'a stablecoin with a minter, no admin',
    variant: 'stablecoin',
    setUp: inTurn(grant('MINT_ROLE', 'minter'), renounce),
    expected: { ...closed, isMintable: true, reason: /can be minted: 0x\w+ has MINT_ROLE/ },
    prove: mintAs('minter'),
  },
  {
    symbol: 'NOMINTS',
    about: 'a minter, and a receiver policy that authorizes no account, no admin',
    setUp: inTurn(
      grant('MINT_ROLE', 'minter'),
      (world, token) => world.act('admin', token, 'updatePolicy', [idOf('MINT_RECEIVER_POLICY'), alwaysBlock]),
      renounce,
    ),
    expected: closed,
  },
  {
    symbol: 'RETIRED',
    about: 'an admin, and MINT_ROLE as its own admin without a holder',
    setUp: (world, token) => world.act('admin', token, 'setRoleAdmin', [idOf('MINT_ROLE'), idOf('MINT_ROLE')]),
    expected: { hasBlacklist: true, isMintable: false, seize: true, renounced: false, outcome: 'tradable' },
    prove: async (world, token, buyer) => {
      const data = encodeFunctionData({
        abi: b20.abi,
        functionName: 'grantRole',
        args: [idOf('MINT_ROLE'), accounts.admin],
      });
      if (await world.can(accounts.admin, token.address, data)) return { minted: true };
      await grant('SEIZE_ROLE', 'admin')(world, token);
      await list('SEIZE_EXEMPT_POLICY', 'blocklist', () => [buyer])(world, token);
      const seized = await world.can(accounts.admin, token.address, seize(buyer));
      await list(sender, 'blocklist', () => [buyer])(world, token);
      return { seized, blocked: !(await world.sell(token)) };
    },
  },
  {
    symbol: 'DELEGATED',
    about: 'MINT_ROLE is granted by the holders of BURN_ROLE, and an admin',
    setUp: inTurn(grant('BURN_ROLE', 'burner'), (world, token) =>
      world.act('admin', token, 'setRoleAdmin', [idOf('MINT_ROLE'), idOf('BURN_ROLE')]),
    ),
    expected: {
      ...{ hasBlacklist: true, isMintable: true, seize: true, renounced: false, outcome: 'tradable' },
      reason: /can grant MINT_ROLE/,
    },
    prove: async (world, token, buyer) => {
      await world.act('burner', token, 'grantRole', [idOf('MINT_ROLE'), accounts.minter]);
      const { minted } = await mintAs('minter')(world, token);
      await grant('SEIZE_ROLE', 'admin')(world, token);
      await list('SEIZE_EXEMPT_POLICY', 'blocklist', () => [buyer])(world, token);
      const seized = await world.can(accounts.admin, token.address, seize(buyer));
      await list(sender, 'blocklist', () => [buyer])(world, token);
      return { minted, seized, blocked: !(await world.sell(token)) };
    },
  },
  {
    symbol: 'REBASED',
    about: 'a multiplier of 2, which scales what wallets show, not balances',
    setUp: inTurn(
      grant('OPERATOR_ROLE', 'operator'),
      (world, token) => world.act('operator', token, 'updateMultiplier', [2n * 10n ** 18n]),
      renounce,
    ),
    expected: { ...closed, reason: /multiplier\(\) is 2:/ },
  },
];
