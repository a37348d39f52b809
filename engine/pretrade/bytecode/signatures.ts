import { type Hex, toFunctionSelector } from 'viem';

/** Getters whose names can only mean that trading is enabled. If one reads false, the gate is closed. */
const gateGetters = [
  'tradingEnabled',
  'tradingActive',
  'tradingOpen',
  'isTradingEnabled',
  'isTradingActive',
  'isTradingOpen',
  'tradingStarted',
  'tradingLive',
  'tradingIsEnabled',
  'tradingAllowed',
  'tradeEnabled',
  'tradeOpen',
  'tradeActive',
  'isTradeEnabled',
  'isTradeOpen',
  'openTrading',
  'enableTrading',
  'canTrade',
  'tradingOpened',
  'isTradingLive',
  'isTradingAllowed',
  'transfersEnabled',
] as const;

/** Getters that may mean a trading gate or something else. They count only if a simulated trade is refused too. */
const ambiguousGetters = [
  'swapEnabled',
  'launched',
  'isLaunched',
  'enabled',
  'isEnabled',
  'started',
  'isStarted',
  'live',
  'isLive',
  'active',
  'isActive',
  'opened',
  'isOpen',
  'open',
  'initialized',
  'saleActive',
  'transferEnabled',
  'marketActive',
  'publicTrading',
  'trading',
  'tradingStatus',
  'startTrading',
] as const;

/** Getters that read true while transfers are paused, as in OpenZeppelin's Pausable. */
const pauseGetters = ['paused', 'isPaused', 'tradingPaused', 'transfersPaused'] as const;

/** Getters that may report any lock, for example of liquidity. They never close the trading gate. */
const lockGetters = ['frozen', 'locked'] as const;

const blacklistNames = [
  'isBlacklisted(address)',
  'isBlackListed(address)',
  'isBlacklist(address)',
  'blacklist(address)',
  'blacklisted(address)',
  'blackList(address)',
  'blacklists(address)',
  '_isBlacklisted(address)',
  '_isBlackListed(address)',
  '_blacklist(address)',
  'getBlackListStatus(address)',
  'addBlackList(address)',
  'removeBlackList(address)',
  'unBlacklist(address)',
  'setBlacklist(address,bool)',
  'setBlacklisted(address,bool)',
  'blacklist(address,bool)',
  'blacklistAddress(address,bool)',
  'blacklistAccount(address,bool)',
  'addToBlacklist(address)',
  'removeFromBlacklist(address)',
  'addBlacklist(address)',
  'setBlacklist(address[],bool)',
  'blacklist(address[],bool)',
  'bots(address)',
  'isBot(address)',
  '_isBot(address)',
  '_bots(address)',
  'isBots(address)',
  'setBots(address[])',
  'addBots(address[])',
  'addBot(address)',
  'delBots(address[])',
  'delBot(address)',
  'setBot(address,bool)',
  'setIsBot(address,bool)',
  'blockBots(address[])',
  'isSniper(address)',
  '_isSniper(address)',
  'snipers(address)',
  'addSniper(address)',
  'isFrozen(address)',
  'frozen(address)',
  'freeze(address)',
  'unfreeze(address)',
  'blacklistAccount(address)',
  'manage_VIP(address[],bool)',
  'freezeAccount(address,bool)',
  'frozenAccount(address)',
  'isBlocked(address)',
  'blocked(address)',
  'block(address)',
  'blockAccount(address)',
  'setBlocked(address,bool)',
  'denyList(address)',
  'isDenied(address)',
  'deny(address)',
  'isBanned(address)',
  'banned(address)',
  'ban(address)',
];

const limitNames = [
  'maxTxAmount()',
  '_maxTxAmount()',
  'maxTransactionAmount()',
  '_maxTransactionAmount()',
  'maxTransaction()',
  'maxTx()',
  'maxTxn()',
  'maxTxLimit()',
  'maxWallet()',
  '_maxWallet()',
  'maxWalletAmount()',
  '_maxWalletAmount()',
  'maxWalletSize()',
  '_maxWalletSize()',
  'maxWalletToken()',
  '_maxWalletToken()',
  'maxWalletLimit()',
  'maxWalletBalance()',
  'maxHolding()',
  'maxHoldingAmount()',
  'maxBuyAmount()',
  'maxSellAmount()',
  'maxBuy()',
  'maxSell()',
  'maxSellTransactionAmount()',
  'maxBuyTransactionAmount()',
  'limitsInEffect()',
  'limitInEffect()',
  'limited()',
  'removeLimits()',
  'removeLimit()',
  'setMaxTxAmount(uint256)',
  'setMaxTxPercent(uint256)',
  'setMaxWallet(uint256)',
  'setMaxWalletPercent(uint256)',
  'setMaxWalletSize(uint256)',
  'updateMaxTxnAmount(uint256)',
  'updateMaxWalletAmount(uint256)',
  'setMaxTx(uint256)',
  'setLimits(uint256,uint256)',
  'setTxLimit(uint256)',
  'setMaxTxPercent(uint256,uint256)',
  'setMaxWalletToken(uint256,uint256)',
  'updatePercentForTxLimit(uint256)',
  'updatePercentForWalletLimit(uint256)',
];

const mintNames = [
  'mint(address,uint256)',
  'mint(uint256)',
  'mint(address)',
  'mint(address,uint256,bytes)',
  'mintTo(address,uint256)',
  '_mint(address,uint256)',
  'issue(uint256)',
  'mintTokens(address,uint256)',
  'mintToken(address,uint256)',
  'ownerMint(uint256)',
  'ownerMint(address,uint256)',
  'adminMint(address,uint256)',
  'crosschainMint(address,uint256)',
  'increaseSupply(uint256)',
  'bridgeMint(address,uint256)',
];

const pauseNames = ['pause()', 'unpause()', 'setPaused(bool)', 'pauseTrading()', 'setTradingPaused(bool)'];

const taxNames = [
  'setFee(uint256)',
  'setFees(uint256,uint256)',
  'setTax(uint256)',
  'setTaxes(uint256,uint256)',
  'setBuyFee(uint256)',
  'setSellFee(uint256)',
  'setBuyTax(uint256)',
  'setSellTax(uint256)',
  'updateBuyFees(uint256,uint256,uint256)',
  'updateSellFees(uint256,uint256,uint256)',
  'updateBuyFees(uint256)',
  'updateSellFees(uint256)',
  'setTaxFeePercent(uint256)',
  'setLiquidityFeePercent(uint256)',
  'setFees(uint256,uint256,uint256)',
  'setBuyFees(uint256,uint256)',
  'setSellFees(uint256,uint256)',
];

/** What the functions of a group control. */
export type FunctionGroup = 'blacklist' | 'limit' | 'mint' | 'pause' | 'tax';

export interface NamedFunction {
  name: string;
  group: FunctionGroup;
}

const grouped: Record<FunctionGroup, readonly string[]> = {
  blacklist: blacklistNames,
  limit: limitNames,
  mint: mintNames,
  pause: pauseNames,
  tax: taxNames,
};

const bySelector = (): ReadonlyMap<Hex, NamedFunction> =>
  new Map(
    Object.entries(grouped).flatMap(([group, names]) =>
      names.map((name) => [toFunctionSelector(`function ${name}`), { name, group: group as FunctionGroup }] as const),
    ),
  );
/** Built on first use: hashing two hundred names would slow down the start. */
let named: ReturnType<typeof bySelector> | undefined;

/** Name and group of a known function. */
export function findNamedFunction(selector: Hex): NamedFunction | undefined {
  named ??= bySelector();
  return named.get(selector);
}

export interface Getter {
  name: string;
  selector: Hex;
  meaning: 'gate' | 'ambiguous' | 'pause' | 'lock';
}

/** Every getter that the lens reads, in the order of `ExitReading.getters`. */
export const getters: readonly Getter[] = [
  ...gateGetters.map((name) => ({ name, meaning: 'gate' as const })),
  ...ambiguousGetters.map((name) => ({ name, meaning: 'ambiguous' as const })),
  ...pauseGetters.map((name) => ({ name, meaning: 'pause' as const })),
  ...lockGetters.map((name) => ({ name, meaning: 'lock' as const })),
].map(({ name, meaning }) => ({ name, meaning, selector: toFunctionSelector(`function ${name}()`) }));
