// fast-check with the seed of this run; test processes get it in place of the package (see process.mjs).
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const { PROPERTY_SEED } = process.env;
if (PROPERTY_SEED !== undefined) fc.configureGlobal({ seed: Number(PROPERTY_SEED) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
