# Written by `make docs`.
from unjudged.measures.kernel.registry import Measure

__all__ = [
    "AP",
    "AP_IA",
    "BinG",
    "Bpref",
    "Bpref10",
    "DCG",
    "ERR",
    "ERR_IA",
    "G",
    "GMAP",
    "GMBpref",
    "Hole",
    "IAP",
    "IPrec",
    "IdealDCG",
    "Judged",
    "NCP",
    "NumNonrelRet",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "P_IA",
    "R",
    "RBP",
    "RBPResidual",
    "RBPUpper",
    "RR",
    "RelP",
    "RnDCG",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "StRecall",
    "Success",
    "Unjudged",
    "Utility",
    "alpha_DCG",
    "alpha_nDCG",
    "indAP",
    "infAP",
    "infNDCG",
    "infP",
    "nDCG",
    "nDCGRel",
    "nERR_IA",
    "statAP",
    "statAPVariance",
    "statP",
    "statRprec",
    "subAP",
    "xinfAP",
    "yaAP",
]

AP: Measure
AP_IA: Measure
BinG: Measure
Bpref: Measure
Bpref10: Measure
DCG: Measure
ERR: Measure
ERR_IA: Measure
G: Measure
GMAP: Measure
GMBpref: Measure
Hole: Measure
IAP: Measure
IPrec: Measure
IdealDCG: Measure
Judged: Measure
NCP: Measure
NumNonrelRet: Measure
NumRel: Measure
NumRelRet: Measure
NumRet: Measure
P: Measure
P_IA: Measure
R: Measure
RBP: Measure
RBPResidual: Measure
RBPUpper: Measure
RR: Measure
RelP: Measure
RnDCG: Measure
Rprec: Measure
RprecMult: Measure
SetAP: Measure
SetF: Measure
SetP: Measure
SetR: Measure
SetRelP: Measure
StRecall: Measure
Success: Measure
Unjudged: Measure
Utility: Measure
alpha_DCG: Measure
alpha_nDCG: Measure
indAP: Measure
infAP: Measure
infNDCG: Measure
infP: Measure
nDCG: Measure
nDCGRel: Measure
nERR_IA: Measure
statAP: Measure
statAPVariance: Measure
statP: Measure
statRprec: Measure
subAP: Measure
xinfAP: Measure
yaAP: Measure
