/** Prints the packages in the deployed bundles with their licences: a bill of materials in CycloneDX. */
import { billOfMaterials } from '../lib/bill-of-materials.ts';

process.stdout.write(`${JSON.stringify(await billOfMaterials(), null, 2)}\n`);
