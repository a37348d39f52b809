// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IVaultToken {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Replaces a singleton venue that the service does not measure. It holds the tokens of many pools and trades them by the
/// constant product formula.
contract SingletonVault {
    struct Pool {
        uint256 reserveToken;
        uint256 reserveNative;
    }

    mapping(address => Pool) public pools;

    function join(address token, uint256 amount) external payable {
        IVaultToken(token).transferFrom(msg.sender, address(this), amount);
        pools[token].reserveToken += amount;
        pools[token].reserveNative += msg.value;
    }

    function buy(address token) external payable returns (uint256 out) {
        Pool storage pool = pools[token];
        out = pool.reserveToken * msg.value / (pool.reserveNative + msg.value);
        pool.reserveNative += msg.value;
        pool.reserveToken -= out;
        IVaultToken(token).transfer(msg.sender, out);
    }

    function sell(address token, uint256 amount) external returns (uint256 out) {
        Pool storage pool = pools[token];
        out = pool.reserveNative * amount / (pool.reserveToken + amount);
        IVaultToken(token).transferFrom(msg.sender, address(this), amount);
        pool.reserveToken += amount;
        pool.reserveNative -= out;
        (bool ok,) = msg.sender.call{value: out}("");
        require(ok, "native refused");
    }
}
