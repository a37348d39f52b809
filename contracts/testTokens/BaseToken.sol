// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Arguments of every test token. The deployer gets the supply. With a zero `factory` the token creates no pair.
struct TokenParams {
    string name;
    string symbol;
    uint8 decimals;
    uint256 supply;
    address factory;
    address counter;
}

interface IPairFactory {
    function createPair(address tokenA, address tokenB) external returns (address pair);
}

/// The honest base of the test tokens. A trap overrides virtual functions of it.
abstract contract BaseToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string internal tokenName;
    string internal tokenSymbol;
    uint8 internal tokenDecimals;
    uint256 internal supply;
    mapping(address => uint256) internal balances;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(TokenParams memory params) {
        tokenName = params.name;
        tokenSymbol = params.symbol;
        tokenDecimals = params.decimals;
        _mint(msg.sender, params.supply);
    }

    function name() external view virtual returns (string memory) {
        return tokenName;
    }

    function symbol() external view virtual returns (string memory) {
        return tokenSymbol;
    }

    function decimals() external view virtual returns (uint8) {
        return tokenDecimals;
    }

    function totalSupply() external view virtual returns (uint256) {
        return supply;
    }

    function balanceOf(address holder) external view virtual returns (uint256) {
        return balances[holder];
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        _approve(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _transfer(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _spend(from, amount);
        _transfer(from, to, amount);
        return true;
    }

    function _transfer(address from, address to, uint256 amount) internal virtual {
        _move(from, to, amount);
    }

    function _approve(address holder, address spender, uint256 amount) internal {
        allowance[holder][spender] = amount;
        emit Approval(holder, spender, amount);
    }

    function _spend(address from, uint256 amount) internal {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= amount, "allowance too low");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
    }

    function _move(address from, address to, uint256 amount) internal {
        require(balances[from] >= amount, "balance too low");
        unchecked {
            balances[from] -= amount;
        }
        balances[to] += amount;
        emit Transfer(from, to, amount);
    }

    function _mint(address to, uint256 amount) internal {
        supply += amount;
        balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }
}

/// Creates its Uniswap v2 pair in the constructor. The deployer provides the liquidity, so no trap applies to it.
abstract contract PooledToken is BaseToken {
    address public immutable pool;
    address internal immutable deployer;

    constructor(TokenParams memory params) BaseToken(params) {
        deployer = msg.sender;
        pool = params.factory == address(0)
            ? address(0)
            : IPairFactory(params.factory).createPair(address(this), params.counter);
    }

    function _isBuy(address from, address to) internal view returns (bool) {
        return from == pool && to != deployer;
    }

    function _isSale(address from, address to) internal view returns (bool) {
        return to == pool && from != deployer;
    }

    function _isTeam(address from, address to) internal view returns (bool) {
        return from == deployer || to == deployer;
    }
}

abstract contract OwnedToken is PooledToken {
    event OwnershipTransferred(address indexed from, address indexed to);

    address public owner;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    constructor(TokenParams memory params) PooledToken(params) {
        owner = msg.sender;
    }

    function renounceOwnership() external virtual onlyOwner {
        emit OwnershipTransferred(owner, address(0));
        owner = address(0);
    }
}
