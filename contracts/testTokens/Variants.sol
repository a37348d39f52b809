// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PooledToken, TokenParams} from "./BaseToken.sol";

/// A parametrised token. Its parameters are immutable, so each set of parameters has its own code.

/// Zero switches a rule off. Shares are in basis points, limits in millionths of the supply.
struct Rules {
    uint256 buyBps;
    uint256 saleBps;
    uint256 transferBps;
    /// Tax on a sale within `earlyBlocks` blocks of the purchase.
    uint256 earlySaleBps;
    uint256 earlyBlocks;
    /// Tax on trades that falls to zero over `launchBlocks` blocks.
    uint256 launchBps;
    uint256 launchBlocks;
    uint256 maxTransferPpm;
    uint256 maxWalletPpm;
    uint256 maxSalePpm;
    /// Between a purchase and a sale.
    uint256 waitBlocks;
    uint256 waitSeconds;
    /// Between two sales of a wallet.
    uint256 saleGapSeconds;
    uint256 maxSales;
    TaxTo taxTo;
    SaleRule saleRule;
    Refusal refusal;
}

enum TaxTo {
    Token,
    Burn,
    DeadAddress,
    Deployer
}

enum SaleRule {
    Any,
    Never,
    SellerIsOrigin,
    OriginOncePerBlock,
    CheapGas,
    FarBlock,
    SellerHasNoCode,
    KeepsHalf,
    CallerIsNotSeller
}

enum Refusal {
    Text,
    CustomError,
    Panic,
    Empty,
    InvalidOpcode
}

contract RuleToken is PooledToken {
    error SaleRefused(address seller, uint256 amount);

    uint256 private constant PPM = 1_000_000;
    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;

    uint256 private immutable buyBps;
    uint256 private immutable saleBps;
    uint256 private immutable transferBps;
    uint256 private immutable earlySaleBps;
    uint256 private immutable earlyBlocks;
    uint256 private immutable launchBps;
    uint256 private immutable launchBlocks;
    uint256 private immutable maxTransfer;
    uint256 private immutable maxWallet;
    uint256 private immutable maxSale;
    uint256 private immutable waitBlocks;
    uint256 private immutable waitSeconds;
    uint256 private immutable saleGapSeconds;
    uint256 private immutable maxSales;
    TaxTo private immutable taxTo;
    SaleRule private immutable saleRule;
    Refusal private immutable refusal;
    uint256 private immutable born;

    mapping(address => uint256) private boughtAtBlock;
    mapping(address => uint256) private boughtAtTime;
    mapping(address => uint256) private soldAtTime;
    mapping(address => uint256) private sales;
    mapping(address => uint256) private originTradedAt;

    constructor(TokenParams memory params, Rules memory rules) PooledToken(params) {
        buyBps = rules.buyBps;
        saleBps = rules.saleBps;
        transferBps = rules.transferBps;
        earlySaleBps = rules.earlySaleBps;
        earlyBlocks = rules.earlyBlocks;
        launchBps = rules.launchBps;
        launchBlocks = rules.launchBlocks;
        maxTransfer = params.supply * rules.maxTransferPpm / PPM;
        maxWallet = params.supply * rules.maxWalletPpm / PPM;
        maxSale = params.supply * rules.maxSalePpm / PPM;
        waitBlocks = rules.waitBlocks;
        waitSeconds = rules.waitSeconds;
        saleGapSeconds = rules.saleGapSeconds;
        maxSales = rules.maxSales;
        taxTo = rules.taxTo;
        saleRule = rules.saleRule;
        refusal = rules.refusal;
        born = block.number;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isTeam(from, to)) return _move(from, to, amount);
        if (maxTransfer > 0 && amount > maxTransfer) _refuse(from, amount);
        if (_isBuy(from, to)) {
            boughtAtBlock[to] = block.number;
            boughtAtTime[to] = block.timestamp;
        }
        if (_isSale(from, to)) _checkSale(from, amount);
        if (_isBuy(from, to)) originTradedAt[tx.origin] = block.number;
        uint256 fee = amount * _taxOf(from, to) / 10_000;
        if (fee > 0) _takeTax(from, fee);
        _move(from, to, amount - fee);
        if (maxWallet > 0 && to != pool) require(balances[to] <= maxWallet, "wallet too large");
    }

    function _checkSale(address from, uint256 amount) private {
        if (maxSale > 0 && amount > maxSale) _refuse(from, amount);
        if (block.number < boughtAtBlock[from] + waitBlocks) _refuse(from, amount);
        if (block.timestamp < boughtAtTime[from] + waitSeconds) _refuse(from, amount);
        if (saleGapSeconds > 0 && block.timestamp < soldAtTime[from] + saleGapSeconds) _refuse(from, amount);
        if (maxSales > 0 && ++sales[from] > maxSales) _refuse(from, amount);
        soldAtTime[from] = block.timestamp;
        if (!_allows(from, amount)) _refuse(from, amount);
        originTradedAt[tx.origin] = block.number;
    }

    function _allows(address from, uint256 amount) private view returns (bool) {
        if (saleRule == SaleRule.Never) return false;
        if (saleRule == SaleRule.SellerIsOrigin) return tx.origin == from;
        if (saleRule == SaleRule.OriginOncePerBlock) return originTradedAt[tx.origin] < block.number;
        if (saleRule == SaleRule.CheapGas) return tx.gasprice <= 5 gwei;
        if (saleRule == SaleRule.FarBlock) return block.number > born + 1_000_000;
        if (saleRule == SaleRule.SellerHasNoCode) return from.code.length == 0;
        if (saleRule == SaleRule.KeepsHalf) return amount <= balances[from] * 51 / 100;
        if (saleRule == SaleRule.CallerIsNotSeller) return msg.sender != from;
        return true;
    }

    function _taxOf(address from, address to) private view returns (uint256) {
        bool isTrade = _isBuy(from, to) || _isSale(from, to);
        uint256 age = block.number - born;
        uint256 launch = isTrade && age < launchBlocks ? launchBps * (launchBlocks - age) / launchBlocks : 0;
        if (_isBuy(from, to)) return buyBps + launch;
        if (!_isSale(from, to)) return transferBps;
        bool isEarly = earlyBlocks > 0 && block.number < boughtAtBlock[from] + earlyBlocks;
        return (isEarly ? earlySaleBps : saleBps) + launch;
    }

    function _takeTax(address from, uint256 fee) private {
        if (taxTo == TaxTo.Burn) {
            balances[from] -= fee;
            supply -= fee;
            emit Transfer(from, address(0), fee);
        } else if (taxTo == TaxTo.DeadAddress) {
            _move(from, DEAD, fee);
        } else {
            _move(from, taxTo == TaxTo.Deployer ? deployer : address(this), fee);
        }
    }

    function _refuse(address from, uint256 amount) private view {
        if (refusal == Refusal.CustomError) revert SaleRefused(from, amount);
        if (refusal == Refusal.Panic) assert(false);
        if (refusal == Refusal.Empty) {
            assembly {
                revert(0, 0)
            }
        }
        if (refusal == Refusal.InvalidOpcode) {
            assembly {
                invalid()
            }
        }
        revert("refused");
    }
}

/// Return values of transfer, transferFrom and approve, and other harmless or odd behaviour.
enum Reply {
    True,
    Nothing,
    Two,
    TwoWords,
    False
}

struct Habits {
    Reply transfer;
    Reply transferFrom;
    Reply approve;
    /// An allowance that is not zero cannot be changed, as in USDT.
    bool approveFromZeroOnly;
    bool refusesZeroTransfers;
    /// Bytes that each transfer of ordinary wallets logs.
    uint256 logBytes;
    /// Calls the sender and the receiver of a transfer, as ERC-777 does.
    bool callsSender;
}

contract OddReplyToken is PooledToken {
    Reply private immutable transferReply;
    Reply private immutable transferFromReply;
    Reply private immutable approveReply;
    bool private immutable approveFromZeroOnly;
    bool private immutable refusesZeroTransfers;
    bool private immutable callsSender;
    uint256 private immutable logBytes;

    constructor(TokenParams memory params, Habits memory habits) PooledToken(params) {
        transferReply = habits.transfer;
        transferFromReply = habits.transferFrom;
        approveReply = habits.approve;
        approveFromZeroOnly = habits.approveFromZeroOnly;
        refusesZeroTransfers = habits.refusesZeroTransfers;
        callsSender = habits.callsSender;
        logBytes = habits.logBytes;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        _transfer(msg.sender, to, amount);
        _reply(transferReply);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        _transfer(from, to, amount);
        _reply(transferFromReply);
    }

    function approve(address spender, uint256 amount) external override returns (bool) {
        require(!approveFromZeroOnly || amount == 0 || allowance[msg.sender][spender] == 0, "not from zero");
        _approve(msg.sender, spender, amount);
        _reply(approveReply);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!refusesZeroTransfers || amount > 0, "zero");
        // As ERC-777 and ERC-1363 do; a failure is ignored.
        if (callsSender && !_isTeam(from, to)) {
            (bool done,) = from.call(abi.encodeWithSignature("tokensToSend(address,uint256)", to, amount));
            done;
        }
        _move(from, to, amount);
        if (callsSender && !_isTeam(from, to)) {
            (bool done,) = to.call(abi.encodeWithSignature("tokensReceived(address,uint256)", from, amount));
            done;
        }
        if (logBytes > 0 && !_isTeam(from, to)) {
            uint256 length = logBytes;
            assembly {
                log0(0, length)
            }
        }
    }

    function _reply(Reply reply) private view {
        bool toTeam = msg.sender == deployer;
        assembly {
            mstore(0, 1)
            mstore(32, 1)
            if iszero(toTeam) {
                if eq(reply, 1) { return(0, 0) }
                if eq(reply, 2) { mstore(0, 2) }
                if eq(reply, 3) { return(0, 64) }
                if eq(reply, 4) { mstore(0, 0) }
            }
            return(0, 32)
        }
    }
}
