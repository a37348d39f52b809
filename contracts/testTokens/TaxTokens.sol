// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PooledToken, TokenParams} from "./BaseToken.sol";

/// Taxes in basis points, fixed by the constructor. They are subtracted from the transfer and go to the token contract.
struct Taxes {
    uint256 buyBps;
    uint256 saleBps;
    uint256 transferBps;
}

abstract contract FeeTaker is PooledToken {
    function _moveTaxed(address from, address to, uint256 amount, uint256 bps) internal {
        uint256 fee = amount * bps / 10_000;
        if (fee > 0) _move(from, address(this), fee);
        _move(from, to, amount - fee);
    }
}

contract TaxToken is FeeTaker {
    uint256 private immutable buyBps;
    uint256 private immutable saleBps;
    uint256 private immutable transferBps;

    constructor(TokenParams memory params, Taxes memory taxes) PooledToken(params) {
        buyBps = taxes.buyBps;
        saleBps = taxes.saleBps;
        transferBps = taxes.transferBps;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 bps = _isTeam(from, to)
            ? 0
            : _isBuy(from, to) ? buyBps : _isSale(from, to) ? saleBps : transferBps;
        _moveTaxed(from, to, amount, bps);
    }
}

/// Taxes trades with its own pair only. Trades with another pool are not taxed.
contract OnePoolTaxToken is FeeTaker {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        _moveTaxed(from, to, amount, _isBuy(from, to) || _isSale(from, to) ? 1000 : 0);
    }
}

/// Buyers receive 1 % more than the pool sends: a negative tax.
contract BonusToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        _move(from, to, amount);
        if (_isBuy(from, to)) _mint(to, amount / 100);
    }
}

/// Every receiver gets 0.1 % more than was sent: a small negative tax.
contract ThousandthMoreToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        _move(from, to, amount);
        if (!_isTeam(from, to)) _mint(to, amount / 1000);
    }
}

/// An anti-sniper launch tax: purchases are taxed at 99 % in the first blocks. `swapEnabled` only concerns collected fees.
contract LaunchTaxToken is OwnedToken, FeeTaker {
    bool public tradingOpen;
    bool public swapEnabled;
    uint256 private immutable taxedUntilBlock;

    constructor(TokenParams memory params, uint256 taxedBlocks) OwnedToken(params) {
        taxedUntilBlock = block.number + taxedBlocks;
    }

    function setTrading(bool open) external onlyOwner {
        tradingOpen = open;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(tradingOpen || _isTeam(from, to), "trading is closed");
        _moveTaxed(from, to, amount, _isBuy(from, to) && block.number < taxedUntilBlock ? 9900 : 0);
    }
}

/// A sale within 20 blocks of the purchase is taxed at 25 %, a later one at 2 %.
contract EarlySellerTaxToken is FeeTaker {
    mapping(address => uint256) private boughtAt;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to)) boughtAt[to] = block.number;
        uint256 bps = !_isSale(from, to) ? 0 : block.number < boughtAt[from] + 20 ? 2500 : 200;
        _moveTaxed(from, to, amount, bps);
    }
}

/// Taxes trades at 20 % until 500 purchases were made.
contract CountedTaxToken is FeeTaker {
    uint256 private buys;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to)) buys++;
        bool taxed = buys < 500 && (_isBuy(from, to) || _isSale(from, to));
        _moveTaxed(from, to, amount, taxed ? 2000 : 0);
    }
}

/// Every transfer costs the same number of whole tokens, whatever its amount.
contract FlatFeeToken is PooledToken {
    uint256 private immutable fee;

    constructor(TokenParams memory params, uint256 wholeTokens) PooledToken(params) {
        fee = wholeTokens * 10 ** params.decimals;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isTeam(from, to)) return _move(from, to, amount);
        require(amount > fee, "below the fee");
        _move(from, address(this), fee);
        _move(from, to, amount - fee);
    }
}

/// Taxes trades at 2 %. The owner can set any tax up to 100 %.
contract AdjustableTaxToken is OwnedToken, FeeTaker {
    uint256 public buyFee = 200;
    uint256 public sellFee = 200;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setFees(uint256 buyBps, uint256 saleBps) external onlyOwner {
        require(buyBps <= 10_000 && saleBps <= 10_000, "more than all");
        buyFee = buyBps;
        sellFee = saleBps;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        _moveTaxed(from, to, amount, _isBuy(from, to) ? buyFee : _isSale(from, to) ? sellFee : 0);
    }
}

/// Taxes every transfer at 5 % once the owner has started the tax.
contract StartedTaxToken is OwnedToken, FeeTaker {
    bool private started;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function startTax() external onlyOwner {
        started = true;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        _moveTaxed(from, to, amount, started && !_isTeam(from, to) ? 500 : 0);
    }
}

interface ISwapBackRouter {
    function swapExactTokensForETHSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external;
}

/// The most common honest taxed token: 4 %, collected in the token and sold for ether inside a holder's sale.
contract SwapBackToken is FeeTaker {
    ISwapBackRouter private immutable router;
    address private immutable counter;
    uint256 private immutable threshold;
    bool private transient swapping;

    constructor(TokenParams memory params, address router_) PooledToken(params) {
        router = ISwapBackRouter(router_);
        counter = params.counter;
        threshold = params.supply / 5000;
        allowance[address(this)][router_] = type(uint256).max;
    }

    receive() external payable {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (swapping || _isTeam(from, to)) return _move(from, to, amount);
        if (_isSale(from, to) && balances[address(this)] >= threshold) _swapBack();
        _moveTaxed(from, to, amount, _isBuy(from, to) || _isSale(from, to) ? 400 : 0);
    }

    function _swapBack() private {
        swapping = true;
        address[] memory path = new address[](2);
        (path[0], path[1]) = (address(this), counter);
        router.swapExactTokensForETHSupportingFeeOnTransferTokens(threshold, 0, path, deployer, block.timestamp);
        swapping = false;
    }
}

/// Honest. As `SwapBackToken`, with the router in storage beside a flag.
contract StoredRouterToken is FeeTaker {
    bool private swapping;
    ISwapBackRouter private router;
    address private counter;

    constructor(TokenParams memory params, address router_) PooledToken(params) {
        router = ISwapBackRouter(router_);
        counter = params.counter;
        allowance[address(this)][router_] = type(uint256).max;
    }

    receive() external payable {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (swapping || _isTeam(from, to)) return _move(from, to, amount);
        uint256 collected = balances[address(this)];
        if (_isSale(from, to) && collected > 0) _swapBack(collected);
        _moveTaxed(from, to, amount, _isBuy(from, to) || _isSale(from, to) ? 400 : 0);
    }

    function _swapBack(uint256 amount) private {
        swapping = true;
        address[] memory path = new address[](2);
        (path[0], path[1]) = (address(this), counter);
        router.swapExactTokensForETHSupportingFeeOnTransferTokens(amount, 0, path, deployer, block.timestamp);
        swapping = false;
    }
}
