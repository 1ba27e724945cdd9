/** Prints what the deployed bundles contain, with its licences: a bill of materials in CycloneDX. */
import { billOfMaterials } from '../lib/bill-of-materials.ts';

process.stdout.write(`${JSON.stringify(await billOfMaterials(), null, 2)}\n`);
