export { dataFiles, dataFolder } from '../config/data-folder.ts'
