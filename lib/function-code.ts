import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { ROOT } from './bundling.ts';
import { bundleFunction } from './function-bundle.ts';

/** The code of one of `functions/<name>/handler.ts`: a single ES module, bundled when the stack is synthesised. */
export const functionCode = (name: string): Code =>
  Code.fromAsset(join(ROOT, 'functions', name), {
    // The deployed bytes decide whether there is a new version, not the sources.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: the local bundling always succeeds or throws.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(directory) {
          bundleFunction(name, directory);
          return true;
        },
      },
    },
  });
