/**
 * Jest's environment for Node, in which the AWS SDK and ajv are what Node itself loads, once for all files of a worker: to
 * load them in each takes a tenth of a run, and in a context of `node:vm` they are slower. The way there: `outside.mjs`.
 */
import { createRequire } from 'node:module';
import { types } from 'node:util';
import { TestEnvironment } from 'jest-environment-node';

const outside = createRequire(import.meta.url);

export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.outside = outside;
    this.shareVariables();
    this.takeErrorsOfOutside();
  }

  /** The SDK reads those of the process. The next file of this worker finds them as this one did. */
  shareVariables() {
    this.variables = process.env;
    process.env = { ...process.env };
    Object.defineProperty(this.global.process, 'env', {
      get: () => process.env,
      set: (variables) => {
        process.env = variables;
      },
    });
  }

  /** What the SDK throws is an `Error` here, too. */
  takeErrorsOfOutside() {
    const { Error, Function } = this.global;
    const isInstance = Function.prototype[Symbol.hasInstance];
    Object.defineProperty(Error, Symbol.hasInstance, {
      value(value) {
        return isInstance.call(this, value) || (this === Error && types.isNativeError(value));
      },
    });
  }

  async teardown() {
    process.env = this.variables;
    await super.teardown();
  }
}
