; ModuleID = 'random'
source_filename = "random"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [6144 x i8] poison, align 16

; Function Attrs: nounwind
define protected amdgpu_kernel void @kernel(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2, i64 %3, float %4, i32 %5) #0 {
entry:
  %6 = call i32 @llvm.amdgcn.workitem.id.x()
  %7 = call i32 @llvm.amdgcn.workgroup.id.x()
  %8 = mul i32 %6, 64
  %9 = getelementptr i8, ptr addrspace(3) @lds, i32 %8
  %10 = mul i32 %7, 96
  %11 = add i32 %10, %6
  %12 = zext i32 %11 to i64
  %13 = mul i64 %12, 256
  %14 = getelementptr i8, ptr addrspace(1) %0, i64 %13
  %15 = mul i64 %12, 2048
  %16 = getelementptr i8, ptr addrspace(1) %1, i64 %15
  %17 = getelementptr i8, ptr addrspace(1) %16, i64 1920
  %18 = alloca [16 x i32], align 4, addrspace(5)
  %19 = icmp ult i32 %11, %5
  br i1 %19, label %body, label %exit

body:                                             ; preds = %entry
  %20 = getelementptr i32, ptr addrspace(5) %18, i32 0
  store i32 0, ptr addrspace(5) %20, align 4
  %21 = getelementptr i32, ptr addrspace(5) %18, i32 1
  store i32 77, ptr addrspace(5) %21, align 4
  %22 = getelementptr i32, ptr addrspace(5) %18, i32 2
  store i32 154, ptr addrspace(5) %22, align 4
  %23 = getelementptr i32, ptr addrspace(5) %18, i32 3
  store i32 231, ptr addrspace(5) %23, align 4
  %24 = getelementptr i32, ptr addrspace(5) %18, i32 4
  store i32 308, ptr addrspace(5) %24, align 4
  %25 = getelementptr i32, ptr addrspace(5) %18, i32 5
  store i32 385, ptr addrspace(5) %25, align 4
  %26 = getelementptr i32, ptr addrspace(5) %18, i32 6
  store i32 462, ptr addrspace(5) %26, align 4
  %27 = getelementptr i32, ptr addrspace(5) %18, i32 7
  store i32 539, ptr addrspace(5) %27, align 4
  %28 = getelementptr i32, ptr addrspace(5) %18, i32 8
  store i32 616, ptr addrspace(5) %28, align 4
  %29 = getelementptr i32, ptr addrspace(5) %18, i32 9
  store i32 693, ptr addrspace(5) %29, align 4
  %30 = getelementptr i32, ptr addrspace(5) %18, i32 10
  store i32 770, ptr addrspace(5) %30, align 4
  %31 = getelementptr i32, ptr addrspace(5) %18, i32 11
  store i32 847, ptr addrspace(5) %31, align 4
  %32 = getelementptr i32, ptr addrspace(5) %18, i32 12
  store i32 924, ptr addrspace(5) %32, align 4
  %33 = getelementptr i32, ptr addrspace(5) %18, i32 13
  store i32 1001, ptr addrspace(5) %33, align 4
  %34 = getelementptr i32, ptr addrspace(5) %18, i32 14
  store i32 1078, ptr addrspace(5) %34, align 4
  %35 = getelementptr i32, ptr addrspace(5) %18, i32 15
  store i32 1155, ptr addrspace(5) %35, align 4
  %36 = getelementptr i8, ptr addrspace(3) %9, i32 0
  store i32 0, ptr addrspace(3) %36, align 4
  %37 = getelementptr i8, ptr addrspace(3) %9, i32 4
  store i32 52, ptr addrspace(3) %37, align 4
  %38 = getelementptr i8, ptr addrspace(3) %9, i32 8
  store i32 104, ptr addrspace(3) %38, align 4
  %39 = getelementptr i8, ptr addrspace(3) %9, i32 12
  store i32 156, ptr addrspace(3) %39, align 4
  %40 = getelementptr i8, ptr addrspace(3) %9, i32 16
  store i32 208, ptr addrspace(3) %40, align 4
  %41 = getelementptr i8, ptr addrspace(3) %9, i32 20
  store i32 260, ptr addrspace(3) %41, align 4
  %42 = getelementptr i8, ptr addrspace(3) %9, i32 24
  store i32 312, ptr addrspace(3) %42, align 4
  %43 = getelementptr i8, ptr addrspace(3) %9, i32 28
  store i32 364, ptr addrspace(3) %43, align 4
  %44 = getelementptr i8, ptr addrspace(3) %9, i32 32
  store i32 416, ptr addrspace(3) %44, align 4
  %45 = getelementptr i8, ptr addrspace(3) %9, i32 36
  store i32 468, ptr addrspace(3) %45, align 4
  %46 = getelementptr i8, ptr addrspace(3) %9, i32 40
  store i32 520, ptr addrspace(3) %46, align 4
  %47 = getelementptr i8, ptr addrspace(3) %9, i32 44
  store i32 572, ptr addrspace(3) %47, align 4
  %48 = getelementptr i8, ptr addrspace(3) %9, i32 48
  store i32 624, ptr addrspace(3) %48, align 4
  %49 = getelementptr i8, ptr addrspace(3) %9, i32 52
  store i32 676, ptr addrspace(3) %49, align 4
  %50 = getelementptr i8, ptr addrspace(3) %9, i32 56
  store i32 728, ptr addrspace(3) %50, align 4
  %51 = getelementptr i8, ptr addrspace(3) %9, i32 60
  store i32 780, ptr addrspace(3) %51, align 4
  %52 = getelementptr i8, ptr addrspace(1) %14, i64 96
  %53 = load <2 x float>, ptr addrspace(1) %52, align 8
  %54 = getelementptr i8, ptr addrspace(1) %14, i64 64
  %55 = load double, ptr addrspace(1) %54, align 8
  %56 = getelementptr i8, ptr addrspace(1) %14, i64 224
  %57 = load <2 x half>, ptr addrspace(1) %56, align 4
  %58 = getelementptr i8, ptr addrspace(1) %14, i64 8
  %59 = load double, ptr addrspace(1) %58, align 8
  %60 = getelementptr i8, ptr addrspace(1) %14, i64 190
  %61 = load i16, ptr addrspace(1) %60, align 2
  %62 = and i32 %11, 63
  %63 = zext i32 %62 to i64
  %64 = mul i64 %63, 4
  %65 = getelementptr i8, ptr addrspace(1) %14, i64 %64
  %66 = load float, ptr addrspace(1) %65, align 4
  %67 = getelementptr i8, ptr addrspace(1) %14, i64 56
  %68 = load i16, ptr addrspace(1) %67, align 2
  %69 = and i32 %11, 63
  %70 = zext i32 %69 to i64
  %71 = mul i64 %70, 4
  %72 = getelementptr i8, ptr addrspace(1) %14, i64 %71
  %73 = load i32, ptr addrspace(1) %72, align 4
  %74 = getelementptr i8, ptr addrspace(1) %14, i64 231
  %75 = load i8, ptr addrspace(1) %74, align 1
  %76 = getelementptr i8, ptr addrspace(1) %14, i64 21
  %77 = load i8, ptr addrspace(1) %76, align 1
  %78 = call i16 @llvm.smin.i16(i16 17244, i16 14100)
  %79 = icmp eq i32 %2, 0
  %80 = icmp eq i32 %2, -1
  %81 = or i1 %79, %80
  %82 = select i1 %81, i32 1, i32 %2
  %83 = sdiv i32 %2, %82
  %84 = call <2 x i16> @llvm.usub.sat.v2i16(<2 x i16> <i16 31917, i16 1>, <2 x i16> <i16 -9312, i16 -28909>)
  %85 = and i32 %83, 15
  %86 = mul i32 %85, 8
  %87 = zext i32 %86 to i64
  %88 = getelementptr i8, ptr addrspace(1) %17, i64 %87
  %89 = atomicrmw sub ptr addrspace(1) %88, i64 %3 syncscope("agent") monotonic, align 8
  %90 = shl i16 %68, 10
  %91 = call half @llvm.trunc.f16(half 0xHD302)
  %92 = mul i16 %78, -21142
  %93 = extractelement <2 x float> %53, i64 1
  %94 = and i32 %11, 63
  %95 = mul i32 %94, 1
  %96 = getelementptr i8, ptr addrspace(3) %9, i32 %95
  store i8 %75, ptr addrspace(3) %96, align 1
  %97 = and i32 %6, 31
  %98 = mul i32 %97, 4
  %99 = zext i32 %98 to i64
  %100 = getelementptr i8, ptr addrspace(1) %17, i64 %99
  %101 = cmpxchg ptr addrspace(1) %100, i32 %7, i32 255 syncscope("agent") monotonic monotonic, align 4
  %102 = extractvalue { i32, i1 } %101, 0
  %103 = extractvalue { i32, i1 } %101, 1
  %104 = fadd float %93, %4
  %105 = and i32 %2, 3
  br label %loop

exit:                                             ; preds = %join, %entry
  ret void

loop:                                             ; preds = %round, %body
  %106 = phi i32 [ 0, %body ], [ %113, %round ]
  %107 = phi i64 [ %89, %body ], [ %107, %round ]
  %108 = icmp ult i32 %106, %105
  br i1 %108, label %round, label %after

round:                                            ; preds = %loop
  %109 = call i16 @llvm.fptoui.sat.i16.f64(double %59)
  %110 = fdiv half %91, 0xH7C00
  %111 = call float asm "", "=v,0"(float %4)
  %112 = fptrunc float %111 to half
  %113 = add i32 %106, 1
  br label %loop

after:                                            ; preds = %loop
  %114 = call <2 x float> @llvm.minimum.v2f32(<2 x float> %53, <2 x float> %53)
  %115 = call float @llvm.rint.f32(float %93)
  %116 = call i64 @llvm.umin.i64(i64 %89, i64 %3)
  %117 = fptrunc double %55 to float
  %118 = mul i16 %68, %92
  %119 = call float @llvm.fabs.f32(float %66)
  %120 = fneg float %117
  %121 = fmul float %120, %119
  %122 = getelementptr i8, ptr addrspace(1) %14, i64 108
  %123 = load float, ptr addrspace(1) %122, align 4
  %124 = fcmp uno half %91, %91
  %125 = xor i1 %124, false
  %126 = select i1 %125, float %121, float %93
  %127 = and i32 %73, 3
  br label %loop1

loop1:                                            ; preds = %after6, %after
  %128 = phi i32 [ 0, %after ], [ %174, %after6 ]
  %129 = phi i8 [ 4, %after ], [ -124, %after6 ]
  %130 = icmp ult i32 %128, %127
  br i1 %130, label %round2, label %after3

round2:                                           ; preds = %loop1
  %131 = and i32 %128, 3
  br label %loop4

after3:                                           ; preds = %loop1
  %132 = call double @llvm.minimum.f64(double 0xFFF0000000000000, double 0xFFF0000000000000)
  %133 = fdiv double %132, %132
  %134 = call i8 @llvm.smax.i8(i8 4, i8 4)
  %135 = add i32 %7, %7
  %136 = call half @llvm.trunc.f16(half 0xH0000)
  %137 = call i16 @llvm.uadd.sat.i16(i16 %78, i16 %78)
  %138 = call half @llvm.fabs.f16(half %136)
  %139 = fneg half %136
  %140 = fmul half %139, %138
  %141 = and i32 %11, 31
  %142 = mul i32 %141, 4
  %143 = zext i32 %142 to i64
  %144 = getelementptr i8, ptr addrspace(1) %17, i64 %143
  %145 = atomicrmw xchg ptr addrspace(1) %144, i32 905047826 syncscope("agent") monotonic, align 4
  %146 = and i32 %135, 15
  %147 = getelementptr i32, ptr addrspace(5) %18, i32 %146
  store i32 %135, ptr addrspace(5) %147, align 4
  %148 = or i64 %116, %107
  %149 = fptrunc double %59 to float
  %150 = and i64 %116, 63
  %151 = shl i64 %148, %150
  %152 = call double @llvm.sqrt.f64(double %132)
  %153 = and i64 %148, %3
  %154 = call i8 @llvm.fptosi.sat.i8.f16(half %136)
  %155 = insertelement <2 x half> %57, half %140, i64 0
  %156 = and i32 %83, 3
  br label %loop7

loop4:                                            ; preds = %round5, %round2
  %157 = phi i32 [ 0, %round2 ], [ %173, %round5 ]
  %158 = phi i8 [ 4, %round2 ], [ %129, %round5 ]
  %159 = icmp ult i32 %157, %131
  br i1 %159, label %round5, label %after6

round5:                                           ; preds = %loop4
  %160 = call i32 @llvm.fptosi.sat.i32.f32(float %123)
  %161 = and i32 %160, 15
  %162 = mul i32 %161, 8
  %163 = zext i32 %162 to i64
  %164 = getelementptr i8, ptr addrspace(1) %17, i64 %163
  %165 = atomicrmw and ptr addrspace(1) %164, i64 %89 syncscope("agent") monotonic, align 8
  %166 = fcmp ole half %91, %91
  %167 = xor i1 %166, %125
  %168 = select i1 %167, <2 x half> %57, <2 x half> %57
  %169 = and i32 %83, 15
  %170 = mul i32 %169, 4
  %171 = getelementptr i8, ptr addrspace(3) %9, i32 %170
  %172 = load i32, ptr addrspace(3) %171, align 4
  %173 = add i32 %157, 1
  br label %loop4

after6:                                           ; preds = %loop4
  %174 = add i32 %128, 1
  br label %loop1

loop7:                                            ; preds = %round8, %after3
  %175 = phi i32 [ 0, %after3 ], [ %190, %round8 ]
  %176 = phi <2 x i16> [ <i16 0, i16 -27816>, %after3 ], [ %179, %round8 ]
  %177 = icmp ult i32 %175, %156
  br i1 %177, label %round8, label %after9

round8:                                           ; preds = %loop7
  %178 = call double @llvm.fma.f64(double %133, double %152, double %133)
  %179 = shufflevector <2 x i16> %84, <2 x i16> %176, <2 x i32> <i32 1, i32 2>
  %180 = icmp slt i32 %145, -1074456564
  %181 = xor i1 %180, true
  %182 = select i1 %181, i16 %68, i16 %92
  %183 = and i32 %11, 31
  %184 = mul i32 %183, 4
  %185 = zext i32 %184 to i64
  %186 = getelementptr i8, ptr addrspace(1) %17, i64 %185
  %187 = cmpxchg ptr addrspace(1) %186, i32 %73, i32 %145 syncscope("agent") monotonic monotonic, align 4
  %188 = extractvalue { i32, i1 } %187, 0
  %189 = extractvalue { i32, i1 } %187, 1
  %190 = add i32 %175, 1
  br label %loop7

after9:                                           ; preds = %loop7
  %191 = call i32 @llvm.ctlz.i32(i32 %83, i1 false)
  %192 = fadd float %126, %123
  %193 = and i32 %102, 15
  %194 = getelementptr i32, ptr addrspace(5) %18, i32 %193
  %195 = load i32, ptr addrspace(5) %194, align 4
  %196 = getelementptr i8, ptr addrspace(1) %14, i64 190
  %197 = load half, ptr addrspace(1) %196, align 2
  %198 = extractelement <2 x half> %57, i64 1
  %199 = and <2 x i16> %176, splat (i16 15)
  %200 = ashr <2 x i16> %84, %199
  %201 = call i64 @llvm.fshr.i64(i64 %89, i64 %107, i64 %148)
  %202 = call <2 x float> @llvm.rint.v2f32(<2 x float> %114)
  %203 = or i64 %148, %116
  %204 = call i16 @llvm.fptosi.sat.i16.f16(half %198)
  %205 = call double @llvm.sqrt.f64(double %55)
  %206 = and i32 %11, 63
  %207 = zext i32 %206 to i64
  %208 = mul i64 %207, 4
  %209 = getelementptr i8, ptr addrspace(1) %14, i64 %208
  %210 = load <2 x i16>, ptr addrspace(1) %209, align 4
  %211 = xor i8 %134, -1
  %212 = icmp eq i16 %137, 0
  %213 = select i1 %212, i16 1, i16 %137
  %214 = urem i16 %137, %213
  %215 = fpext half %140 to float
  %216 = and i32 %102, 15
  %217 = getelementptr i32, ptr addrspace(5) %18, i32 %216
  %218 = load i32, ptr addrspace(5) %217, align 4
  %219 = call i8 @llvm.fptosi.sat.i8.f32(float %4)
  br i1 %125, label %then, label %else

then:                                             ; preds = %after9
  %220 = call double @llvm.fma.f64(double %55, double %59, double %205)
  br label %join

else:                                             ; preds = %after9
  %221 = fpext half %198 to float
  %222 = and i32 %135, 3
  br label %loop10

join:                                             ; preds = %join15, %then
  %223 = phi <2 x half> [ %155, %then ], [ %155, %join15 ]
  %224 = fcmp uno float %4, %4
  %225 = select i1 %224, float 1.500000e+00, float %4
  %226 = bitcast float %225 to i32
  %227 = and i64 %151, 63
  %228 = shl i64 %107, %227
  %229 = getelementptr i8, ptr addrspace(1) %16, i64 0
  store i32 %11, ptr addrspace(1) %229, align 4
  %230 = extractelement <2 x float> %53, i64 0
  %231 = getelementptr i8, ptr addrspace(1) %16, i64 4
  store float %230, ptr addrspace(1) %231, align 4
  %232 = extractelement <2 x float> %53, i64 1
  %233 = getelementptr i8, ptr addrspace(1) %16, i64 8
  store float %232, ptr addrspace(1) %233, align 4
  %234 = getelementptr i8, ptr addrspace(1) %16, i64 16
  store double %55, ptr addrspace(1) %234, align 8
  %235 = extractelement <2 x half> %57, i64 0
  %236 = getelementptr i8, ptr addrspace(1) %16, i64 24
  store half %235, ptr addrspace(1) %236, align 2
  %237 = extractelement <2 x half> %57, i64 1
  %238 = getelementptr i8, ptr addrspace(1) %16, i64 26
  store half %237, ptr addrspace(1) %238, align 2
  %239 = getelementptr i8, ptr addrspace(1) %16, i64 32
  store double %59, ptr addrspace(1) %239, align 8
  %240 = getelementptr i8, ptr addrspace(1) %16, i64 40
  store i16 %61, ptr addrspace(1) %240, align 2
  %241 = getelementptr i8, ptr addrspace(1) %16, i64 44
  store float %66, ptr addrspace(1) %241, align 4
  %242 = getelementptr i8, ptr addrspace(1) %16, i64 48
  store i16 %68, ptr addrspace(1) %242, align 2
  %243 = getelementptr i8, ptr addrspace(1) %16, i64 52
  store i32 %73, ptr addrspace(1) %243, align 4
  %244 = getelementptr i8, ptr addrspace(1) %16, i64 56
  store i8 %75, ptr addrspace(1) %244, align 1
  %245 = getelementptr i8, ptr addrspace(1) %16, i64 57
  store i8 %77, ptr addrspace(1) %245, align 1
  %246 = extractelement <2 x i16> %84, i64 0
  %247 = getelementptr i8, ptr addrspace(1) %16, i64 58
  store i16 %246, ptr addrspace(1) %247, align 2
  %248 = extractelement <2 x i16> %84, i64 1
  %249 = getelementptr i8, ptr addrspace(1) %16, i64 60
  store i16 %248, ptr addrspace(1) %249, align 2
  %250 = getelementptr i8, ptr addrspace(1) %16, i64 64
  store i64 %89, ptr addrspace(1) %250, align 8
  %251 = getelementptr i8, ptr addrspace(1) %16, i64 72
  store i16 %90, ptr addrspace(1) %251, align 2
  %252 = getelementptr i8, ptr addrspace(1) %16, i64 74
  store half %91, ptr addrspace(1) %252, align 2
  %253 = getelementptr i8, ptr addrspace(1) %16, i64 76
  store i16 %92, ptr addrspace(1) %253, align 2
  %254 = getelementptr i8, ptr addrspace(1) %16, i64 80
  store float %93, ptr addrspace(1) %254, align 4
  %255 = getelementptr i8, ptr addrspace(1) %16, i64 84
  store i32 %102, ptr addrspace(1) %255, align 4
  %256 = zext i1 %103 to i8
  %257 = getelementptr i8, ptr addrspace(1) %16, i64 88
  store i8 %256, ptr addrspace(1) %257, align 1
  %258 = getelementptr i8, ptr addrspace(1) %16, i64 92
  store float %104, ptr addrspace(1) %258, align 4
  %259 = getelementptr i8, ptr addrspace(1) %16, i64 96
  store i64 %107, ptr addrspace(1) %259, align 8
  %260 = extractelement <2 x float> %114, i64 0
  %261 = getelementptr i8, ptr addrspace(1) %16, i64 104
  store float %260, ptr addrspace(1) %261, align 4
  %262 = extractelement <2 x float> %114, i64 1
  %263 = getelementptr i8, ptr addrspace(1) %16, i64 108
  store float %262, ptr addrspace(1) %263, align 4
  %264 = getelementptr i8, ptr addrspace(1) %16, i64 112
  store float %115, ptr addrspace(1) %264, align 4
  %265 = getelementptr i8, ptr addrspace(1) %16, i64 120
  store i64 %116, ptr addrspace(1) %265, align 8
  %266 = getelementptr i8, ptr addrspace(1) %16, i64 128
  store float %117, ptr addrspace(1) %266, align 4
  %267 = getelementptr i8, ptr addrspace(1) %16, i64 132
  store i16 %118, ptr addrspace(1) %267, align 2
  %268 = getelementptr i8, ptr addrspace(1) %16, i64 136
  store float %121, ptr addrspace(1) %268, align 4
  %269 = getelementptr i8, ptr addrspace(1) %16, i64 140
  store float %123, ptr addrspace(1) %269, align 4
  %270 = zext i1 %125 to i8
  %271 = getelementptr i8, ptr addrspace(1) %16, i64 144
  store i8 %270, ptr addrspace(1) %271, align 1
  %272 = getelementptr i8, ptr addrspace(1) %16, i64 148
  store float %126, ptr addrspace(1) %272, align 4
  %273 = getelementptr i8, ptr addrspace(1) %16, i64 152
  store i8 %129, ptr addrspace(1) %273, align 1
  %274 = getelementptr i8, ptr addrspace(1) %16, i64 156
  store i32 %135, ptr addrspace(1) %274, align 4
  %275 = getelementptr i8, ptr addrspace(1) %16, i64 160
  store half %140, ptr addrspace(1) %275, align 2
  %276 = getelementptr i8, ptr addrspace(1) %16, i64 164
  store i32 %145, ptr addrspace(1) %276, align 4
  %277 = getelementptr i8, ptr addrspace(1) %16, i64 168
  store i64 %148, ptr addrspace(1) %277, align 8
  %278 = getelementptr i8, ptr addrspace(1) %16, i64 176
  store float %149, ptr addrspace(1) %278, align 4
  %279 = getelementptr i8, ptr addrspace(1) %16, i64 184
  store i64 %151, ptr addrspace(1) %279, align 8
  %280 = getelementptr i8, ptr addrspace(1) %16, i64 192
  store double %152, ptr addrspace(1) %280, align 8
  %281 = getelementptr i8, ptr addrspace(1) %16, i64 200
  store i64 %153, ptr addrspace(1) %281, align 8
  %282 = extractelement <2 x half> %155, i64 0
  %283 = getelementptr i8, ptr addrspace(1) %16, i64 208
  store half %282, ptr addrspace(1) %283, align 2
  %284 = extractelement <2 x half> %155, i64 1
  %285 = getelementptr i8, ptr addrspace(1) %16, i64 210
  store half %284, ptr addrspace(1) %285, align 2
  %286 = extractelement <2 x i16> %176, i64 0
  %287 = getelementptr i8, ptr addrspace(1) %16, i64 212
  store i16 %286, ptr addrspace(1) %287, align 2
  %288 = extractelement <2 x i16> %176, i64 1
  %289 = getelementptr i8, ptr addrspace(1) %16, i64 214
  store i16 %288, ptr addrspace(1) %289, align 2
  %290 = getelementptr i8, ptr addrspace(1) %16, i64 216
  store float %192, ptr addrspace(1) %290, align 4
  %291 = getelementptr i8, ptr addrspace(1) %16, i64 220
  store i32 %195, ptr addrspace(1) %291, align 4
  %292 = getelementptr i8, ptr addrspace(1) %16, i64 224
  store half %197, ptr addrspace(1) %292, align 2
  %293 = getelementptr i8, ptr addrspace(1) %16, i64 226
  store half %198, ptr addrspace(1) %293, align 2
  %294 = extractelement <2 x i16> %200, i64 0
  %295 = getelementptr i8, ptr addrspace(1) %16, i64 228
  store i16 %294, ptr addrspace(1) %295, align 2
  %296 = extractelement <2 x i16> %200, i64 1
  %297 = getelementptr i8, ptr addrspace(1) %16, i64 230
  store i16 %296, ptr addrspace(1) %297, align 2
  %298 = getelementptr i8, ptr addrspace(1) %16, i64 232
  store i64 %201, ptr addrspace(1) %298, align 8
  %299 = extractelement <2 x float> %202, i64 0
  %300 = getelementptr i8, ptr addrspace(1) %16, i64 240
  store float %299, ptr addrspace(1) %300, align 4
  %301 = extractelement <2 x float> %202, i64 1
  %302 = getelementptr i8, ptr addrspace(1) %16, i64 244
  store float %301, ptr addrspace(1) %302, align 4
  %303 = getelementptr i8, ptr addrspace(1) %16, i64 248
  store i64 %203, ptr addrspace(1) %303, align 8
  %304 = getelementptr i8, ptr addrspace(1) %16, i64 256
  store i16 %204, ptr addrspace(1) %304, align 2
  %305 = getelementptr i8, ptr addrspace(1) %16, i64 264
  store double %205, ptr addrspace(1) %305, align 8
  %306 = extractelement <2 x i16> %210, i64 0
  %307 = getelementptr i8, ptr addrspace(1) %16, i64 272
  store i16 %306, ptr addrspace(1) %307, align 2
  %308 = extractelement <2 x i16> %210, i64 1
  %309 = getelementptr i8, ptr addrspace(1) %16, i64 274
  store i16 %308, ptr addrspace(1) %309, align 2
  %310 = getelementptr i8, ptr addrspace(1) %16, i64 276
  store i8 %211, ptr addrspace(1) %310, align 1
  %311 = getelementptr i8, ptr addrspace(1) %16, i64 280
  store float %215, ptr addrspace(1) %311, align 4
  %312 = getelementptr i8, ptr addrspace(1) %16, i64 284
  store i32 %218, ptr addrspace(1) %312, align 4
  %313 = extractelement <2 x half> %223, i64 0
  %314 = getelementptr i8, ptr addrspace(1) %16, i64 288
  store half %313, ptr addrspace(1) %314, align 2
  %315 = extractelement <2 x half> %223, i64 1
  %316 = getelementptr i8, ptr addrspace(1) %16, i64 290
  store half %315, ptr addrspace(1) %316, align 2
  %317 = getelementptr i8, ptr addrspace(1) %16, i64 296
  store i64 %228, ptr addrspace(1) %317, align 8
  %318 = getelementptr i8, ptr addrspace(1) %16, i64 304
  store i16 %78, ptr addrspace(1) %318, align 2
  %319 = getelementptr i8, ptr addrspace(1) %16, i64 308
  store i32 %83, ptr addrspace(1) %319, align 4
  %320 = getelementptr i8, ptr addrspace(1) %16, i64 312
  store i8 4, ptr addrspace(1) %320, align 1
  %321 = getelementptr i8, ptr addrspace(1) %16, i64 320
  store double %132, ptr addrspace(1) %321, align 8
  %322 = getelementptr i8, ptr addrspace(1) %16, i64 328
  store double %133, ptr addrspace(1) %322, align 8
  %323 = getelementptr i8, ptr addrspace(1) %16, i64 336
  store i8 %134, ptr addrspace(1) %323, align 1
  %324 = getelementptr i8, ptr addrspace(1) %16, i64 338
  store half %136, ptr addrspace(1) %324, align 2
  %325 = getelementptr i8, ptr addrspace(1) %16, i64 340
  store i16 %137, ptr addrspace(1) %325, align 2
  %326 = getelementptr i8, ptr addrspace(1) %16, i64 342
  store i8 %154, ptr addrspace(1) %326, align 1
  %327 = getelementptr i8, ptr addrspace(1) %16, i64 344
  store i32 %191, ptr addrspace(1) %327, align 4
  %328 = getelementptr i8, ptr addrspace(1) %16, i64 348
  store half 0xH3C00, ptr addrspace(1) %328, align 2
  %329 = getelementptr i8, ptr addrspace(1) %16, i64 350
  store i16 %214, ptr addrspace(1) %329, align 2
  %330 = getelementptr i8, ptr addrspace(1) %16, i64 352
  store i8 %219, ptr addrspace(1) %330, align 1
  %331 = getelementptr i8, ptr addrspace(1) %16, i64 356
  store i32 %226, ptr addrspace(1) %331, align 4
  %332 = getelementptr i32, ptr addrspace(5) %18, i32 0
  %333 = load i32, ptr addrspace(5) %332, align 4
  %334 = getelementptr i8, ptr addrspace(1) %16, i64 360
  store i32 %333, ptr addrspace(1) %334, align 4
  %335 = getelementptr i32, ptr addrspace(5) %18, i32 1
  %336 = load i32, ptr addrspace(5) %335, align 4
  %337 = getelementptr i8, ptr addrspace(1) %16, i64 364
  store i32 %336, ptr addrspace(1) %337, align 4
  %338 = getelementptr i32, ptr addrspace(5) %18, i32 2
  %339 = load i32, ptr addrspace(5) %338, align 4
  %340 = getelementptr i8, ptr addrspace(1) %16, i64 368
  store i32 %339, ptr addrspace(1) %340, align 4
  %341 = getelementptr i32, ptr addrspace(5) %18, i32 3
  %342 = load i32, ptr addrspace(5) %341, align 4
  %343 = getelementptr i8, ptr addrspace(1) %16, i64 372
  store i32 %342, ptr addrspace(1) %343, align 4
  %344 = getelementptr i32, ptr addrspace(5) %18, i32 4
  %345 = load i32, ptr addrspace(5) %344, align 4
  %346 = getelementptr i8, ptr addrspace(1) %16, i64 376
  store i32 %345, ptr addrspace(1) %346, align 4
  %347 = getelementptr i32, ptr addrspace(5) %18, i32 5
  %348 = load i32, ptr addrspace(5) %347, align 4
  %349 = getelementptr i8, ptr addrspace(1) %16, i64 380
  store i32 %348, ptr addrspace(1) %349, align 4
  %350 = getelementptr i32, ptr addrspace(5) %18, i32 6
  %351 = load i32, ptr addrspace(5) %350, align 4
  %352 = getelementptr i8, ptr addrspace(1) %16, i64 384
  store i32 %351, ptr addrspace(1) %352, align 4
  %353 = getelementptr i32, ptr addrspace(5) %18, i32 7
  %354 = load i32, ptr addrspace(5) %353, align 4
  %355 = getelementptr i8, ptr addrspace(1) %16, i64 388
  store i32 %354, ptr addrspace(1) %355, align 4
  %356 = getelementptr i32, ptr addrspace(5) %18, i32 8
  %357 = load i32, ptr addrspace(5) %356, align 4
  %358 = getelementptr i8, ptr addrspace(1) %16, i64 392
  store i32 %357, ptr addrspace(1) %358, align 4
  %359 = getelementptr i32, ptr addrspace(5) %18, i32 9
  %360 = load i32, ptr addrspace(5) %359, align 4
  %361 = getelementptr i8, ptr addrspace(1) %16, i64 396
  store i32 %360, ptr addrspace(1) %361, align 4
  %362 = getelementptr i32, ptr addrspace(5) %18, i32 10
  %363 = load i32, ptr addrspace(5) %362, align 4
  %364 = getelementptr i8, ptr addrspace(1) %16, i64 400
  store i32 %363, ptr addrspace(1) %364, align 4
  %365 = getelementptr i32, ptr addrspace(5) %18, i32 11
  %366 = load i32, ptr addrspace(5) %365, align 4
  %367 = getelementptr i8, ptr addrspace(1) %16, i64 404
  store i32 %366, ptr addrspace(1) %367, align 4
  %368 = getelementptr i32, ptr addrspace(5) %18, i32 12
  %369 = load i32, ptr addrspace(5) %368, align 4
  %370 = getelementptr i8, ptr addrspace(1) %16, i64 408
  store i32 %369, ptr addrspace(1) %370, align 4
  %371 = getelementptr i32, ptr addrspace(5) %18, i32 13
  %372 = load i32, ptr addrspace(5) %371, align 4
  %373 = getelementptr i8, ptr addrspace(1) %16, i64 412
  store i32 %372, ptr addrspace(1) %373, align 4
  %374 = getelementptr i32, ptr addrspace(5) %18, i32 14
  %375 = load i32, ptr addrspace(5) %374, align 4
  %376 = getelementptr i8, ptr addrspace(1) %16, i64 416
  store i32 %375, ptr addrspace(1) %376, align 4
  %377 = getelementptr i32, ptr addrspace(5) %18, i32 15
  %378 = load i32, ptr addrspace(5) %377, align 4
  %379 = getelementptr i8, ptr addrspace(1) %16, i64 420
  store i32 %378, ptr addrspace(1) %379, align 4
  %380 = getelementptr i8, ptr addrspace(3) %9, i32 0
  %381 = load i32, ptr addrspace(3) %380, align 4
  %382 = getelementptr i8, ptr addrspace(1) %16, i64 424
  store i32 %381, ptr addrspace(1) %382, align 4
  %383 = getelementptr i8, ptr addrspace(3) %9, i32 4
  %384 = load i32, ptr addrspace(3) %383, align 4
  %385 = getelementptr i8, ptr addrspace(1) %16, i64 428
  store i32 %384, ptr addrspace(1) %385, align 4
  %386 = getelementptr i8, ptr addrspace(3) %9, i32 8
  %387 = load i32, ptr addrspace(3) %386, align 4
  %388 = getelementptr i8, ptr addrspace(1) %16, i64 432
  store i32 %387, ptr addrspace(1) %388, align 4
  %389 = getelementptr i8, ptr addrspace(3) %9, i32 12
  %390 = load i32, ptr addrspace(3) %389, align 4
  %391 = getelementptr i8, ptr addrspace(1) %16, i64 436
  store i32 %390, ptr addrspace(1) %391, align 4
  %392 = getelementptr i8, ptr addrspace(3) %9, i32 16
  %393 = load i32, ptr addrspace(3) %392, align 4
  %394 = getelementptr i8, ptr addrspace(1) %16, i64 440
  store i32 %393, ptr addrspace(1) %394, align 4
  %395 = getelementptr i8, ptr addrspace(3) %9, i32 20
  %396 = load i32, ptr addrspace(3) %395, align 4
  %397 = getelementptr i8, ptr addrspace(1) %16, i64 444
  store i32 %396, ptr addrspace(1) %397, align 4
  %398 = getelementptr i8, ptr addrspace(3) %9, i32 24
  %399 = load i32, ptr addrspace(3) %398, align 4
  %400 = getelementptr i8, ptr addrspace(1) %16, i64 448
  store i32 %399, ptr addrspace(1) %400, align 4
  %401 = getelementptr i8, ptr addrspace(3) %9, i32 28
  %402 = load i32, ptr addrspace(3) %401, align 4
  %403 = getelementptr i8, ptr addrspace(1) %16, i64 452
  store i32 %402, ptr addrspace(1) %403, align 4
  %404 = getelementptr i8, ptr addrspace(3) %9, i32 32
  %405 = load i32, ptr addrspace(3) %404, align 4
  %406 = getelementptr i8, ptr addrspace(1) %16, i64 456
  store i32 %405, ptr addrspace(1) %406, align 4
  %407 = getelementptr i8, ptr addrspace(3) %9, i32 36
  %408 = load i32, ptr addrspace(3) %407, align 4
  %409 = getelementptr i8, ptr addrspace(1) %16, i64 460
  store i32 %408, ptr addrspace(1) %409, align 4
  %410 = getelementptr i8, ptr addrspace(3) %9, i32 40
  %411 = load i32, ptr addrspace(3) %410, align 4
  %412 = getelementptr i8, ptr addrspace(1) %16, i64 464
  store i32 %411, ptr addrspace(1) %412, align 4
  %413 = getelementptr i8, ptr addrspace(3) %9, i32 44
  %414 = load i32, ptr addrspace(3) %413, align 4
  %415 = getelementptr i8, ptr addrspace(1) %16, i64 468
  store i32 %414, ptr addrspace(1) %415, align 4
  %416 = getelementptr i8, ptr addrspace(3) %9, i32 48
  %417 = load i32, ptr addrspace(3) %416, align 4
  %418 = getelementptr i8, ptr addrspace(1) %16, i64 472
  store i32 %417, ptr addrspace(1) %418, align 4
  %419 = getelementptr i8, ptr addrspace(3) %9, i32 52
  %420 = load i32, ptr addrspace(3) %419, align 4
  %421 = getelementptr i8, ptr addrspace(1) %16, i64 476
  store i32 %420, ptr addrspace(1) %421, align 4
  %422 = getelementptr i8, ptr addrspace(3) %9, i32 56
  %423 = load i32, ptr addrspace(3) %422, align 4
  %424 = getelementptr i8, ptr addrspace(1) %16, i64 480
  store i32 %423, ptr addrspace(1) %424, align 4
  %425 = getelementptr i8, ptr addrspace(3) %9, i32 60
  %426 = load i32, ptr addrspace(3) %425, align 4
  %427 = getelementptr i8, ptr addrspace(1) %16, i64 484
  store i32 %426, ptr addrspace(1) %427, align 4
  br label %exit

loop10:                                           ; preds = %round11, %else
  %428 = phi i32 [ 0, %else ], [ %439, %round11 ]
  %429 = phi <2 x i16> [ %210, %else ], [ %429, %round11 ]
  %430 = icmp ult i32 %428, %222
  br i1 %430, label %round11, label %after12

round11:                                          ; preds = %loop10
  %431 = mul i8 %219, %154
  %432 = mul <2 x i16> %210, %176
  %433 = xor i8 %77, %211
  %434 = and i32 %145, 15
  %435 = mul i32 %434, 4
  %436 = getelementptr i8, ptr addrspace(3) %9, i32 %435
  %437 = atomicrmw umin ptr addrspace(3) %436, i32 0 syncscope("agent") monotonic, align 4
  %438 = call float @llvm.maximum.f32(float %126, float %221)
  %439 = add i32 %428, 1
  br label %loop10

after12:                                          ; preds = %loop10
  %440 = fcmp uno half %136, %136
  %441 = select i1 %440, half 0xH3E00, half %136
  %442 = bitcast half %441 to i16
  br i1 true, label %then13, label %else14

then13:                                           ; preds = %after12
  %443 = and i32 %218, 63
  %444 = zext i32 %443 to i64
  %445 = mul i64 %444, 4
  %446 = getelementptr i8, ptr addrspace(1) %14, i64 %445
  %447 = load <2 x half>, ptr addrspace(1) %446, align 4
  br label %join15

else14:                                           ; preds = %after12
  %448 = sitofp i8 %219 to float
  %449 = call half @llvm.rint.f16(half 0xHD1EE)
  %450 = add i32 %73, 2131335087
  br label %join15

join15:                                           ; preds = %else14, %then13
  %451 = phi double [ %133, %then13 ], [ %59, %else14 ]
  %452 = getelementptr i8, ptr addrspace(1) %14, i64 80
  %453 = load <2 x i16>, ptr addrspace(1) %452, align 4
  br label %join
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.smin.i16(i16, i16) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x i16> @llvm.usub.sat.v2i16(<2 x i16>, <2 x i16>) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.trunc.f16(half) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.fptoui.sat.i16.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x float> @llvm.minimum.v2f32(<2 x float>, <2 x float>) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.rint.f32(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.umin.i64(i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fptosi.sat.i32.f32(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.minimum.f64(double, double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.smax.i8(i8, i8) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.uadd.sat.i16(i16, i16) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.fabs.f16(half) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sqrt.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.fptosi.sat.i8.f16(half) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fma.f64(double, double, double) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fshr.i64(i64, i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x float> @llvm.rint.v2f32(<2 x float>) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.fptosi.sat.i16.f16(half) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.fptosi.sat.i8.f32(float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maximum.f32(float, float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.rint.f16(half) #2

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="96,96" "denormal-fp-math"="ieee,ieee" "no-trapping-math"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
